// What people and programs learn when a cycle or a start has ended: the event in the journal, the notice of the cycle,
// and that of a chain that has changed.
// Promises that what the manifest says then was announced once, also if the process is killed before: the next cycle or
// start compares it with what was announced last. Never writes the manifest.
#pragma once

#include "agent/off_loop.hpp"
#include "vtmirror/catalogue/cycles.hpp"
#include "vtmirror/core/history.hpp"
#include "vtmirror/ports/journal.hpp"

#include <vector>

namespace vtmirror::agent {

/// None for a cycle that was asked to stop: that is not a failure, and the next start continues it.
std::vector<core::Notice> notices_of(const core::CycleRecord& record, const core::CycleReport& report);
/// Counts what failed, and names the first cause that no other line of this cycle has said.
void log_end(ports::Journal& journal, const core::CycleReport& report);

/// Call it after anything that may have changed the chain, when the manifest has been written. Queues nothing if the
/// chain is the one that was announced last.
boost::asio::awaitable<base::Result<void>> announce_chain(CatalogueCalls& calls, base::Time at);

}  // namespace vtmirror::agent
