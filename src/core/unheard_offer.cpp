#include "vtmirror/core/unheard_offer.hpp"

#include "core/bulk_load.hpp"
#include "core/deltas.hpp"

#include <algorithm>
#include <utility>

namespace vtmirror::core {
namespace {

/// Empty if deltas may follow, whether the offer was loaded or not.
std::optional<LoadWhy> why_reload(const Offer& unheard, const MirrorNow& mirror, base::Time now) {
  if (unheard.action == LoadAction::reload) return unheard.why;
  if (mirror.chain.files.empty()) return std::nullopt;
  return why_bulk_load(unheard.after, mirror, {}, now);
}

base::Date needed_from(const Position& position) {
  auto first = position.start;
  for (const base::Date day : position.assumed) first = std::min(first, day);
  return first;
}

bool has(const Offer& offer, const Held& file) {
  return std::ranges::any_of(offer.files, [&file](const Held& each) { return each.name == file.name; });
}

}  // namespace

Offer next_offer(const std::optional<Position>& position, const Offer& unheard, const MirrorNow& mirror,
                 const ConsumerRules& rules, base::Time now) {
  auto next = next_offer(position, mirror, rules, now);
  if (next.action == LoadAction::reload || unheard.files.empty()) return next;
  if (auto why = why_reload(unheard, mirror, now)) return bulk_load(position, mirror, std::move(*why));
  if (next.action != LoadAction::append) return next;
  for (const Held& file : unheard.files)
    if (!has(next, file))
      return {.action = LoadAction::wait,
              .why = why_missing(mirror.chain, file.name, file.date),
              .through = position ? position->through : std::nullopt};
  return next;
}

Offer next_offer(const ConsumerRecord& consumer, const MirrorNow& mirror, const ConsumerRules& rules, base::Time now) {
  if (!consumer.offer) return next_offer(consumer.position, mirror, rules, now);
  return next_offer(consumer.position, *consumer.offer, mirror, rules, now);
}

std::optional<base::Date> needed_from(const ConsumerRecord& consumer) {
  std::optional<base::Date> first;
  if (consumer.position) first = needed_from(*consumer.position);
  if (!consumer.offer || consumer.offer->files.empty()) return first;
  const auto day = needed_from(consumer.offer->after);
  return first ? std::min(*first, day) : day;
}

}  // namespace vtmirror::core
