// Converts the daemon's events to the types that show a cycle of this process. Pure.
#pragma once

#include "vtmirror/ports/journal.hpp"
#include "vtmirror/report/rate.hpp"
#include "vtmirror/report/status.hpp"

#include <optional>
#include <string_view>

namespace vtmirror::client {

/// The event in the JSON of `journal`. An unknown kind keeps only its level. Empty if the JSON holds no event.
std::optional<ports::Event> journal_event(std::string_view json);

/// The running cycle, as the live lines need it.
ports::CycleProgress progress_of(const report::CycleStatus& cycle);
report::Rates rates_of(const report::CycleStatus& cycle);

/// The number of the daemon's cycle in a response to POST /v1/sync or in an event `cycle`; 0 if an older daemon sends
/// none.
std::int64_t cycle_number(std::string_view json);

}  // namespace vtmirror::client
