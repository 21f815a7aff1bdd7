// What a consumer has to load next that was offered something before, and has not acknowledged it.
// Promises that the answer is right whether it has loaded that or not: nothing of another edition stays in its table,
// and no older data on top of newer data. Never offers a file that is not held. Pure values.
#pragma once

#include "vtmirror/core/consumer.hpp"

namespace vtmirror::core {

/// `next_offer`, but for what `unheard` adds to it:
/// - It stays `reload` where that was offered, and becomes `reload` where one of the deltas that were offered was
///   replaced by another edition since then.
/// - It is `wait` while not all of the newer deltas that were offered can follow.
Offer next_offer(const std::optional<Position>& position, const Offer& unheard, const MirrorNow& mirror,
                 const ConsumerRules& rules, base::Time now);

/// What a consumer has to load, by all that is remembered of it.
Offer next_offer(const ConsumerRecord& consumer, const MirrorNow& mirror, const ConsumerRules& rules, base::Time now);

}  // namespace vtmirror::core
