#include "core/bulk_load.hpp"

#include "core/deltas.hpp"

#include <algorithm>
#include <utility>

namespace vtmirror::core {
namespace {

Offer wait_for_bulk(const MirrorNow& mirror, const std::optional<Position>& position) {
  Offer offer{.action = LoadAction::wait, .why = {.reason = LoadReason::nothing_held}};
  if (position) offer.through = position->through;
  for (const Missing& file : mirror.chain.missing)
    if (file.kind == Kind::bulk)
      offer.why = {.reason = LoadReason::missing, .file = file.name, .day = file.date, .missing = file.reason};
  return offer;
}

/// What is missing between the chain's end and the end of what was loaded. Another session knows nothing of that.
const Missing* missing_at_end(const Position& position, const MirrorNow& mirror) {
  if (position.session != mirror.edition.session || !position.through) return nullptr;
  const auto end = mirror.chain.files.back().date;
  const auto found = std::ranges::find_if(mirror.chain.missing, [&](const Missing& file) {
    return file.kind == Kind::delta && file.date && end < *file.date && *file.date <= *position.through;
  });
  return found == mirror.chain.missing.end() ? nullptr : &*found;
}

Offer load_of_chain(const MirrorNow& mirror, LoadWhy why) {
  const auto& files = mirror.chain.files;
  Offer offer{.action = LoadAction::reload, .why = std::move(why), .files = files, .through = files.back().date};
  offer.after = {.session = mirror.edition.session,
                 .generation = mirror.edition.generation,
                 .start = files.front().date,
                 .bulk = files.front(),
                 .deltas = {files.begin() + 1, files.end()},
                 .through = offer.through};
  return offer;
}

}  // namespace

Offer bulk_load(const std::optional<Position>& position, const MirrorNow& mirror, LoadWhy why) {
  if (mirror.chain.files.empty()) return wait_for_bulk(mirror, position);
  const Missing* const missing = position ? missing_at_end(*position, mirror) : nullptr;
  if (missing == nullptr) return load_of_chain(mirror, std::move(why));
  return {.action = LoadAction::wait,
          .why = why_missing(mirror.chain, missing->name, *missing->date),
          .through = position->through};
}

}  // namespace vtmirror::core
