// What the last process left on disk and in the catalogue, for a start to repair or for a dry run to plan over. Reads
// the files whose records alone do not say what they are. Changes nothing, and never uses the network.
#pragma once

#include "agent/inventory.hpp"
#include "agent/off_loop.hpp"
#include "vtmirror/agent/agent.hpp"
#include "vtmirror/core/recovery.hpp"

#include <atomic>
#include <vector>

namespace vtmirror::agent {

/// What a start finds, as the input of `repairs`. Changes nothing. `stopping` is read on the pool's threads;
/// `failed` gets the files and directories that cannot be read. Errors: catalogue, io, cancelled.
boost::asio::awaitable<base::Result<core::Findings>> find_remains(Ports ports, CatalogueCalls& calls,
                                                                  const std::atomic<bool>& stopping,
                                                                  std::vector<core::Cause>& failed);

/// A journal that keeps nothing: for finding out what a repair would do, without reporting it as done.
class NoJournal final : public ports::Journal {
  void log(const ports::Event&) override {}
};

/// The same ports with that journal, which must outlive them.
inline Ports without_journal(const Ports& ports, ports::Journal& none) {
  return {ports.loop, ports.clock, ports.dice,      ports.http, ports.partials, ports.shelf,
          none,       ports.stop,  ports.catalogue, ports.pool, ports.checks,   ports.reading};
}

}  // namespace vtmirror::agent
