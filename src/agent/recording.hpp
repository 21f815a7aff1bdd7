// Records in the catalogue what a transfer must not lose, and tries again while another process holds the lock.
// Decides nothing: `core::Transfer` says whether and when there is another try.
#pragma once

#include "vtmirror/agent/agent.hpp"
#include "vtmirror/core/transfer.hpp"

#include <functional>

namespace vtmirror::agent {

/// One try. Its errors are the catalogue's.
using Recording = std::function<boost::asio::awaitable<base::Result<void>>()>;

/// Calls `report` before the pause of each further try. Errors: those of the last try, and cancelled.
boost::asio::awaitable<base::Result<void>> until_recorded(Ports ports, core::Transfer& transfer, Recording recording,
                                                          std::function<void(const core::Retried&)> report);

}  // namespace vtmirror::agent
