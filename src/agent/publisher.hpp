// The last steps of a file: from a verified partial to a public name, and the manifest that says so.
// The order is the promise (ARCHITECTURE.md, "The life of a file"): a cut between any two steps is finished by
// `recover`.
#pragma once

#include "agent/ledger.hpp"
#include "agent/wake.hpp"
#include "vtmirror/agent/agent.hpp"

#include <atomic>
#include <string>

namespace vtmirror::agent {

class Publisher {
 public:
  /// `stopping` is read on the pool's threads.
  Publisher(Parts parts, Ledger& ledger, const std::atomic<bool>& stopping)
      : parts_(parts), ledger_(ledger), stopping_(stopping), turn_(parts.loop, 1) {}

  /// A partial that has passed its checks becomes public. What may take long of that is done beside other publications;
  /// then it is one at a time.
  boost::asio::awaitable<base::Result<void>> publish(core::PartialRecord verified);

  /// A file that is public already, whole and checked, is taken into the catalogue.
  boost::asio::awaitable<base::Result<void>> adopt(core::FileRecord file);

  /// A public file goes.
  boost::asio::awaitable<base::Result<void>> remove(std::string name);

  /// The shelf's texts say what the catalogue says. Changes nothing when they do already.
  boost::asio::awaitable<base::Result<void>> refresh();

 private:
  boost::asio::awaitable<base::Result<void>> stage(ports::VerifiedFile file);
  boost::asio::awaitable<base::Result<void>> record(core::FileRecord file);
  boost::asio::awaitable<base::Result<void>> write_manifest();
  void tell_superseded(const std::string& name, std::int64_t generation);

  Parts parts_;
  Ledger& ledger_;
  const std::atomic<bool>& stopping_;
  Slots turn_;
};

/// What the catalogue holds, as the chain wants it.
std::vector<core::Held> held_of(const std::vector<core::FileRecord>& files);

}  // namespace vtmirror::agent
