// For how long a consumer has been behind.
#include "core/by_name.hpp"
#include "vtmirror/core/consumer.hpp"

#include <algorithm>

namespace vtmirror::core {

std::int64_t known_generation(const std::optional<Position>& position, const Offer& offer) noexcept {
  const bool continues = position && offer.why.reason != LoadReason::other_session;
  return continues ? position->generation : 0;
}

std::optional<base::Time> behind_since(const std::optional<Position>& position, const Offer& offer,
                                       std::span<const FileRecord> files, std::span<const Change> changes) {
  if (offer.files.empty()) return std::nullopt;
  const auto known = known_generation(position, offer);
  const ByName records(files);
  std::optional<base::Time> since;
  std::optional<base::Time> newest;
  const auto came = [&since](base::Time at) { since = since ? std::min(*since, at) : at; };
  for (const Held& file : offer.files) {
    const FileRecord* const record = records.find(file.name);
    if (record == nullptr) continue;
    newest = newest ? std::max(*newest, record->published_at) : record->published_at;
    if (record->since > known) came(record->published_at);
  }
  // What a bulk load stands for came before the files that it consists of.
  const ByName offered(std::span<const Held>(offer.files));
  for (const Change& change : changes) {
    if (change.kind != ChangeKind::published || change.generation <= known) continue;
    const bool is_replaced = offer.action == LoadAction::reload && (!position || change.file.date >= position->start);
    if (is_replaced || offered.contains(change.name)) came(change.at);
  }
  return since ? since : newest;
}

}  // namespace vtmirror::core
