// Reads held files again, one after the other, and compares them with what was published.
// Promises that what it finds is in the catalogue and in the mirror's texts before the next file is read, that an
// interruption ends it within a second, and that it can be continued. Never downloads anything. Must not run beside a
// cycle.
#pragma once

#include "vtmirror/agent/agent.hpp"
#include "vtmirror/core/verification.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace vtmirror::agent {

class Verification {
 public:
  Verification(Ports ports, core::VerificationRequest request);

  /// Reads the files that are left. Also returns when it is interrupted or stopped: then `is_done` is false, and it may
  /// be called again, with another agent. Errors: config, if a name selects no file; catalogue; io, if the mirror
  /// itself cannot be used.
  boost::asio::awaitable<base::Result<void>> run(std::shared_ptr<Agent> agent);
  /// Ends `run` soon, also one that has not begun yet. The file that it reads is read from the start the next time.
  void interrupt() { reading_.interrupted = true; }
  /// Must be called before it is run again.
  void resume() { reading_.interrupted = false; }

  bool is_done() const { return chosen_ && next_ == files_.size(); }
  /// Of the files so far.
  const core::VerificationReport& report() const { return report_; }
  core::VerificationReport& report() { return report_; }
  /// Whether anything was found since the last call that a cycle may repair.
  bool pop_found() { return std::exchange(found_, false); }
  /// As of a cycle whose only download is the file that is being read.
  const ports::CycleProgress& progress();

  /// Marks the findings whose files are whole by now, and renews the chain: after a cycle. Errors: catalogue.
  boost::asio::awaitable<base::Result<void>> look_again();

 private:
  boost::asio::awaitable<base::Result<void>> choose();
  void note(core::Finding finding);

  Ports ports_;
  std::vector<std::string> names_;
  Reading reading_;
  bool chosen_ = false;
  std::vector<core::FileRecord> files_;
  std::size_t next_ = 0;
  std::int64_t passed_ = 0;  ///< bytes of the files before it
  core::VerificationReport report_;
  bool found_ = false;
  ports::CycleProgress progress_;
};

}  // namespace vtmirror::agent
