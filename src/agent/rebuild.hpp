// A new catalogue for a mirror that is there: what lies on disk is checked and taken in, all in one step.
// Promises that a cut leaves a catalogue that knows nothing, so that the next start does it again, and that no file is
// touched. A file that cannot be read is taken at the word of SHA256SUMS. Never asks the network.
#pragma once

#include "agent/ledger.hpp"
#include "vtmirror/agent/agent.hpp"

#include <atomic>
#include <optional>
#include <string>

namespace vtmirror::agent {

class Rebuild {
 public:
  Rebuild(Parts parts, Ledger& ledger, ports::CheckRules rules, const std::atomic<bool>& stopping)
      : parts_(parts), ledger_(ledger), rules_(rules), stopping_(stopping) {}

  /// Does nothing where the catalogue knows a generation, or the mirror has none. True when manifest, sums and
  /// `current` on disk are still what the catalogue says. Errors: io, catalogue, cancelled.
  boost::asio::awaitable<base::Result<bool>> run();

  /// What `run` would put into the catalogue, or nothing: every file is read, nothing is changed. Errors: as `run`.
  boost::asio::awaitable<base::Result<std::optional<catalogue::Restored>>> survey();

 private:
  boost::asio::awaitable<base::Result<catalogue::Restored>> take_in(ports::Remains remains);
  boost::asio::awaitable<base::Result<core::FileRecord>> check(core::LocalFile local, ports::Remains remains);
  void tell(ports::Level level, std::string message, const std::string& file = "");

  Parts parts_;
  Ledger& ledger_;
  ports::CheckRules rules_;
  const std::atomic<bool>& stopping_;
  bool same_ = false;  // the survey found just the files that the mirror's own texts name
};

/// What a name's own texts say of it. Empty where they do not tell its kind and date. Pure.
std::optional<core::FileRecord> known_of(const core::LocalFile& local, const ports::Remains& remains);

}  // namespace vtmirror::agent
