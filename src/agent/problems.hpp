// What is wrong now, from how the last cycle ended and when the next is. Pure.
// Promises that a problem that goes on keeps the time of its beginning.
#pragma once

#include "vtmirror/core/schedule.hpp"
#include "vtmirror/core/status.hpp"
#include "vtmirror/ports/journal.hpp"

#include <optional>
#include <string>
#include <vector>

namespace vtmirror::agent {

std::vector<core::Problem> problems_now(const std::optional<core::LastCycle>& last, const std::string& last_error,
                                        const core::NextWake& next, const std::vector<core::Problem>& before,
                                        base::Time now);

/// One event for each problem that began, and one for each that is over.
std::vector<ports::Event> problem_events(const std::vector<core::Problem>& before,
                                         const std::vector<core::Problem>& now);

}  // namespace vtmirror::agent
