// What a consumer has to load next if it has not acknowledged its last offer.
// Promises that the answer is right whether it has loaded that or not: nothing of another edition stays in its table,
// and no older data on top of newer data. Never offers a file that is not held. Pure values.
#pragma once

#include "vtmirror/core/consumer.hpp"

namespace vtmirror::core {

/// As `next_offer`, with these exceptions for `unheard`:
/// - It stays `reload` if that was offered, and becomes `reload` if one of the deltas that were offered was replaced by
///   another edition since then.
/// - It is `wait` while not all of the newer deltas that were offered can follow.
Offer next_offer(const std::optional<Position>& position, const Offer& unheard, const MirrorNow& mirror,
                 const ConsumerRules& rules, base::Time now);

/// What a consumer has to load, by all that is remembered of it. The calendar must begin on `needed_from` or before.
Offer next_offer(const ConsumerRecord& consumer, const MirrorNow& mirror, const ConsumerRules& rules, base::Time now);

/// The first day on which the consumer's data rest, the days included whose absence it assumes. Empty if it has neither
/// acknowledged nor been offered anything.
std::optional<base::Date> needed_from(const ConsumerRecord& consumer);

}  // namespace vtmirror::core
