// The last steps of a file: from a verified partial to a public name, and the manifest that names it.
// Promises the order of ARCHITECTURE.md, "The life of a file": `recover` finishes a publication that was cut off
// between any two steps.
#pragma once

#include "agent/off_loop.hpp"
#include "agent/wake.hpp"
#include "vtmirror/agent/agent.hpp"

#include <atomic>
#include <string>

namespace vtmirror::agent {

class Publisher {
 public:
  /// `stopping` is read on threads of the pool.
  Publisher(Ports ports, CatalogueCalls& calls, const std::atomic<bool>& stopping)
      : ports_(ports), calls_(calls), stopping_(stopping), turn_(ports.loop, 1) {}

  /// Publishes a partial that has passed its checks. The slow part runs beside other publications, the rest one at a
  /// time.
  boost::asio::awaitable<base::Result<void>> publish(core::PartialRecord verified);

  /// Adds a file that is already public, complete and checked to the catalogue.
  boost::asio::awaitable<base::Result<void>> adopt(core::FileRecord file);

  /// Removes a public file.
  boost::asio::awaitable<base::Result<void>> remove(std::string name);

  /// Makes the shelf's manifest, digests and `current` match the catalogue. Changes nothing if they do already.
  boost::asio::awaitable<base::Result<void>> refresh();

 private:
  boost::asio::awaitable<base::Result<void>> stage(ports::VerifiedFile file);
  boost::asio::awaitable<base::Result<void>> record(core::FileRecord file);
  boost::asio::awaitable<base::Result<void>> write_manifest();
  void tell_superseded(const std::string& name, std::int64_t generation);

  Ports ports_;
  CatalogueCalls& calls_;
  const std::atomic<bool>& stopping_;
  Slots turn_;
};

/// The catalogue's files in the form that the chain needs.
std::vector<core::Held> held_of(const std::vector<core::FileRecord>& files);

}  // namespace vtmirror::agent
