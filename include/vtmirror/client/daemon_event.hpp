// What the daemon tells, in the types with which our own cycles are shown. Pure.
#pragma once

#include "vtmirror/ports/journal.hpp"
#include "vtmirror/report/rate.hpp"
#include "vtmirror/report/status.hpp"

#include <optional>
#include <string_view>

namespace vtmirror::client {

/// The event in the JSON of `journal`; of a kind that is not known here only the level counts. Empty when it is none.
std::optional<ports::Event> journal_event(std::string_view json);

/// The cycle that runs, as the live lines need it.
ports::CycleProgress progress_of(const report::CycleStatus& cycle);
report::Rates rates_of(const report::CycleStatus& cycle);

/// Which of the daemon's cycles an answer to POST /v1/sync or an event `cycle` is about; 0 where an older daemon does
/// not say.
std::int64_t cycle_number(std::string_view json);

}  // namespace vtmirror::client
