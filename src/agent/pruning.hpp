// Removes what is kept only for a while, in a cycle and without one. Promises that nothing of the mirror or of its
// quarantine is removed that `core::removals` or a plan does not name, and that one file that stays stops no other.
// Never uses the network.
#pragma once

#include "agent/off_loop.hpp"
#include "agent/publisher.hpp"
#include "vtmirror/agent/agent.hpp"
#include "vtmirror/core/pruning.hpp"
#include "vtmirror/core/reconcile.hpp"
#include "vtmirror/core/recovery.hpp"

#include <atomic>
#include <optional>
#include <string>
#include <vector>

namespace vtmirror::agent {

/// Carries out actions of the kind `prune`, in the publisher's order: all public files in one generation. Returns what
/// became of each, in the same order. Each file that is removed is logged. Errors of one: those of `Staying`.
boost::asio::awaitable<std::vector<base::Result<void>>> remove(Ports ports, CatalogueCalls& calls, Publisher& publisher,
                                                               std::vector<core::Action> actions);

/// As `Publisher::finish_late`. Each file that is removed is logged.
boost::asio::awaitable<base::Result<LateRemovals>> finish_late(Ports ports, Publisher& publisher, core::Policy policy);

/// What `prune` would remove from a mirror where that is found, first what was recorded and could not be finished.
/// Changes nothing. Errors: those of `what_is_there`.
boost::asio::awaitable<base::Result<core::Pruning>> find_removals(
    Ports ports, core::Policy policy, boost::asio::awaitable<base::Result<core::Findings>> what_is_there);

/// The publisher must be the one of a cycle that runs beside it. What an earlier call, or a cycle, could not finish is
/// removed first, and named again if it stays. Errors: catalogue, catalogue_busy, io, no_space; cancelled, if nothing
/// was removed yet.
boost::asio::awaitable<base::Result<core::Pruning>> prune(Ports ports, CatalogueCalls& calls, Publisher& publisher,
                                                          core::Policy policy);

/// The start of a process, and `prune`: what is quarantined too long is removed by the latter, which names it. Errors:
/// of both. `stopping` is read on the pool's threads.
boost::asio::awaitable<base::Result<core::Pruning>> prune_from_start(Ports ports, CatalogueCalls& calls,
                                                                     Publisher& publisher, CycleSettings settings,
                                                                     const std::atomic<bool>& stopping);

/// Superseded bytes and links whose day is over. What could not be removed is tried again by the next call. Errors: io,
/// no_space.
boost::asio::awaitable<base::Result<void>> release_superseded(Ports ports);

/// Removes a file of the quarantine, with its record. Errors: io, catalogue.
boost::asio::awaitable<base::Result<void>> drop_quarantined(Ports ports, CatalogueCalls& calls, std::string name);

/// The cause of the problem `disk_forecast`, by what the catalogue and the disk say now; empty also if they cannot be
/// read.
boost::asio::awaitable<std::optional<core::Cause>> disk_full_soon(Ports ports, CatalogueCalls& calls,
                                                                  core::Policy policy);

}  // namespace vtmirror::agent
