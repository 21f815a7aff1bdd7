// The last line of `vtmirror sync`.
#pragma once

#include "vtmirror/core/cycle_report.hpp"
#include "vtmirror/report/status.hpp"

#include <string>

namespace vtmirror::report {

/// "partial: 2 files, 167 MB in 12s, 13.9 MB/s; timed_out: no byte from ...; check the network ..."
std::string summary(const core::CycleReport& report);
/// The same of a daemon's cycle.
std::string summary(const LastCycleStatus& cycle);

/// Bytes a second; 0 if no time has passed.
double average_rate(std::int64_t bytes, base::Milliseconds took) noexcept;

}  // namespace vtmirror::report
