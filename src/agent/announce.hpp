// Notifies the channels that the chain to load has changed.
// Promises that what the manifest says when a cycle or a start has ended was announced once, also if the process is
// killed before: the next cycle or start compares it with what was announced last. Never writes the manifest.
#pragma once

#include "agent/off_loop.hpp"

namespace vtmirror::agent {

/// Call it after anything that may have changed the chain, when the manifest has been written. Queues nothing if the
/// chain is the one that was announced last.
boost::asio::awaitable<base::Result<void>> announce_chain(CatalogueCalls& calls, base::Time at);

}  // namespace vtmirror::agent
