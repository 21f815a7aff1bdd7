// What is said of a cycle's end: the event in the journal, and the notice that the channels deliver.
#pragma once

#include "vtmirror/catalogue/cycles.hpp"
#include "vtmirror/core/history.hpp"
#include "vtmirror/ports/journal.hpp"

#include <vector>

namespace vtmirror::agent {

/// None for a cycle that was asked to stop: that is not a failure, and the next start continues it.
std::vector<core::Notice> notices_of(const core::CycleRecord& record, const core::CycleReport& report);
void tell_end(ports::Journal& journal, const core::CycleReport& report);

}  // namespace vtmirror::agent
