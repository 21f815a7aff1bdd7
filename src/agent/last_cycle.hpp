// The last cycle as the schedule counts it, from what the catalogue has kept of it and of those before it.
// Pure.
#pragma once

#include "vtmirror/core/health.hpp"
#include "vtmirror/core/history.hpp"
#include "vtmirror/core/schedule.hpp"

#include <optional>
#include <vector>

namespace vtmirror::agent {

bool lists_delta_of(const std::vector<core::Listed>& listed, base::Date day);
bool is_complete(const core::CycleRecord& cycle);
/// It was asked to stop before its end.
bool was_stopped(const core::CycleRecord& cycle);

/// `cycles` are those of the last days, newest first. Empty if there is none, or if one that was cut off or stopped
/// must be continued.
std::optional<core::LastCycle> last_of(const std::vector<core::CycleRecord>& cycles, const core::DaysTries& tries,
                                       const core::HealthFacts& facts, const core::Schedule& schedule,
                                       const core::Zone& zone);

}  // namespace vtmirror::agent
