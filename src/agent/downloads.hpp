// The downloads of a cycle, side by side: as many at once as the settings allow, deltas oldest first beside the bulk
// file. Promises that neither waits for the other, that more may be added until the last one has ended, and that the
// failure of one does not stop the others. Downloads nothing that is not in the plan; decides which of that begins
// when, and when a later plan may have a file again, by the settings, by what the store asked for and by core/retry.
#pragma once

#include "agent/fetch.hpp"

#include <deque>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace vtmirror::agent {

class Downloads {
 public:
  using Failed = std::function<void(const std::string& name, const base::Error& error)>;
  Downloads(CycleResources resources, ports::CycleProgress& progress, Failed failed);

  /// Queues those of `actions` that are downloads, and returns their number. `partials`: the catalogue's records.
  int add(const std::vector<core::Action>& actions, const std::vector<core::PartialRecord>& partials);
  /// Ends when nothing is queued or running any more.
  boost::asio::awaitable<void> download_all();

  /// While `download_all` runs: a task that may add more, and that it waits for.
  void spawn(boost::asio::awaitable<void> task) { tasks_.spawn(std::move(task)); }
  /// While `download_all` runs: starts what was added. A delta is started even if bulk files take up all places.
  void start_more();

  /// Files whose download has ended and that a later plan may download again: published ones, and failed ones after a
  /// pause.
  std::vector<std::string> over() const;
  /// Whether a file has failed and is not queued again.
  bool any_failed() const;

  int published() const { return published_; }
  /// Queued, and not started.
  int waiting() const { return static_cast<int>(deltas_.size() + bulks_.size()); }

 private:
  struct Queued {
    core::Action action;
    core::PartialRecord partial;
  };
  struct End {
    bool published = false;
    int failures = 0;
    base::Steady at{};
    base::Milliseconds asked{};  ///< the wait that the store asked for
  };
  ports::DownloadProgress& begin_row(const core::Action& action);
  void start_worker(core::Kind first, bool both);
  boost::asio::awaitable<void> work(core::Kind first, bool both);
  boost::asio::awaitable<void> download(Queued next);
  ports::DownloadProgress& progress_of(const std::string& name);

  CycleResources resources_;
  ports::CycleProgress& progress_;
  Failed failed_;
  std::deque<Queued> deltas_;
  std::deque<Queued> bulks_;
  TaskGroup tasks_;
  std::map<std::string, End> ends_;  ///< of those that are not queued again
  std::map<std::string, int> failures_;
  int workers_ = 0;
  int at_bulk_ = 0;  ///< of those
  int published_ = 0;
};

}  // namespace vtmirror::agent
