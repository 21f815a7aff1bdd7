// Builds a new catalogue for an existing mirror: the files on disk are checked and recorded, in one transaction.
// Promises that an interruption leaves an empty catalogue, so that the next start does it again, and that no file is
// changed: of a file that is left out, only the links to it are led away. A file that cannot be read is recorded with
// the digest in SHA256SUMS. Never uses the network.
#pragma once

#include "agent/off_loop.hpp"
#include "vtmirror/agent/agent.hpp"

#include <atomic>
#include <optional>
#include <set>
#include <string>

namespace vtmirror::agent {

class Rebuild {
 public:
  Rebuild(Ports ports, CatalogueCalls& calls, ports::CheckRules rules, const std::atomic<bool>& stopping)
      : ports_(ports), calls_(calls), rules_(rules), stopping_(stopping) {}

  /// Does nothing if the catalogue has a generation, or the mirror has none. True if manifest, digests and `current` on
  /// disk already match the catalogue. Errors: io, catalogue, cancelled.
  boost::asio::awaitable<base::Result<bool>> run();

  /// What `run` would put into the catalogue, or nothing: every file is read, nothing is changed. Errors: as `run`.
  boost::asio::awaitable<base::Result<std::optional<catalogue::Restored>>> survey();

 private:
  boost::asio::awaitable<base::Result<catalogue::Restored>> restore_from(ports::Remains remains);
  boost::asio::awaitable<base::Result<core::FileRecord>> check(core::LocalFile local, ports::Remains remains);
  boost::asio::awaitable<void> end_links();
  void add(core::FileRecord file, catalogue::Restored& restored) const;
  void log(ports::Level level, std::string message, const std::string& file = "");

  Ports ports_;
  CatalogueCalls& calls_;
  ports::CheckRules rules_;
  const std::atomic<bool>& stopping_;
  bool same_ = false;               // the survey found just the files that the mirror's own texts name
  std::set<std::string> left_out_;  // what the texts name or the disk has, and the survey did not find whole
};

/// What the name, manifest and digests say about a file. Empty if they lack its kind or date. Pure.
std::optional<core::FileRecord> known_of(const core::LocalFile& local, const ports::Remains& remains);

}  // namespace vtmirror::agent
