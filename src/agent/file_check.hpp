// The check of one file, which goes along with its download and ends after it.
// Promises that it reads bytes only once they are durable, each of them once, and that a check that ends the process is
// counted at the latest when the next process meets the same bytes. Never decides what follows a verdict.
#pragma once

#include "agent/off_loop.hpp"
#include "agent/wake.hpp"
#include "vtmirror/agent/agent.hpp"

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace vtmirror::agent {

/// What the checks of a cycle share. Borrowed.
struct CheckResources {
  Ports ports;
  CatalogueCalls& calls;
  Slots& places;                                  ///< for checks of whole files, which may run for minutes
  const std::atomic<bool>& stopping;              ///< read on the pool's threads
  bool alone = false;                             ///< one check has ended the process: none goes along with a download
  std::int64_t behind = std::int64_t{256} << 20;  ///< bytes behind the durable ones at which a check yields no more
};

/// To be called before a file is checked, and after it. Returns why it must not be checked: the process died in
/// `core::deadly_checks` of its checks. A count that cannot be kept does not prevent a check.
boost::asio::awaitable<std::optional<core::Cause>> begin_check(CheckResources resources, std::string name,
                                                               std::int64_t size);
boost::asio::awaitable<void> end_check(CheckResources resources, std::string name);

/// Follows the bytes as they become durable. Bytes that an earlier process left are read first, and a death while they
/// are read counts as one in a check; after that a kill does not count against the file, because a download takes
/// hours. Bytes at which a check ends the process are durable then, so the next process meets them among the first.
/// Yields to the transfer until it is far behind: a file that is whole waits for its check.
class FileCheck {
 public:
  FileCheck(CheckResources resources, ports::CheckRules rules, std::string name);

  /// Forgets what was read: the file starts over with `size` bytes, of which the first `front` are durable.
  void restart(std::int64_t size, std::int64_t front);
  /// Reports that the first `front` bytes are durable.
  void durable(std::int64_t front);
  /// Ends the reading. Must be awaited before destruction, and before the file is moved.
  boost::asio::awaitable<void> stop();
  /// As `stop`, and closes the file, which is about to be removed: its space must be free for the next one.
  boost::asio::awaitable<void> close();

  /// Judges the file, now that all of it is durable. Errors: integrity, with `died_in_checks` if no check of the file
  /// may begin; io, cancelled.
  boost::asio::awaitable<base::Result<ports::Checked>> finish();

 private:
  /// Shared with the job that reads at the time, which may outlive it here.
  using Running = std::shared_ptr<ports::PartialCheck>;

  bool may_follow() const;
  bool is_far_behind() const;
  void follow_if_due();
  std::function<base::Result<Running>()> opener() const;
  boost::asio::awaitable<void> follow();
  boost::asio::awaitable<void> advance(std::int64_t front);

  CheckResources resources_;
  ports::CheckRules rules_;
  std::string name_;
  std::int64_t size_ = 0;
  std::int64_t front_ = 0;  ///< durable
  std::int64_t read_ = 0;   ///< by `check_`
  std::int64_t left_ = 0;   ///< durable when this process began
  Running check_;
  int round_ = 0;  ///< counts the restarts
  bool following_ = false;
  bool stopped_ = false;
  bool failed_ = false;  ///< only `finish` reads on
  TaskGroup tasks_;
};

}  // namespace vtmirror::agent
