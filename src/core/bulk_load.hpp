// Whether a consumer has to load the whole chain again, and whether it can now. Pure.
#pragma once

#include "vtmirror/core/consumer.hpp"

#include <optional>

namespace vtmirror::core {

/// Why a consumer at `position` must load the chain from its bulk file, although that may not be possible now. Empty if
/// deltas can follow.
std::optional<LoadWhy> why_bulk_load(const Position& position, const MirrorNow& mirror, const ConsumerRules& rules,
                                     base::Time now);

/// The load of the chain. It is `wait` while no bulk file is held, and while the chain ends before what the consumer
/// has loaded, because a file is missing there: the load would take days away from it.
Offer bulk_load(const std::optional<Position>& position, const MirrorNow& mirror, LoadWhy why);

}  // namespace vtmirror::core
