// One cycle (vtmirror(8), A CYCLE): reads the listing, has core make the plan, and carries it out: adoptions, downloads
// side by side, removals. Promises that the failure of one file does not stop the others. Decides nothing that is not
// in the plan.
#pragma once

#include "agent/fetch.hpp"
#include "agent/service.hpp"
#include "vtmirror/core/history.hpp"
#include "vtmirror/core/reconcile.hpp"

#include <deque>
#include <optional>
#include <string>
#include <vector>

namespace vtmirror::agent {

class Cycle {
 public:
  Cycle(CycleResources resources, Service& service, ports::CycleProgress& progress);

  boost::asio::awaitable<base::Result<core::CycleReport>> run(core::Try which);

  /// The plan that `run` carries out; empty until it has been made.
  const std::optional<core::Plan>& plan() const { return plan_; }

 private:
  boost::asio::awaitable<base::Result<void>> take_listing();
  boost::asio::awaitable<base::Result<void>> make_plan(core::Try which);
  boost::asio::awaitable<void> adopt_all();
  boost::asio::awaitable<base::Result<void>> adopt(core::Action action);
  boost::asio::awaitable<void> fetch_all();
  boost::asio::awaitable<void> work(core::Kind first);
  boost::asio::awaitable<void> remove_all();
  boost::asio::awaitable<base::Result<void>> remove(core::Action action);

  core::PartialRecord partial_for(const core::Action& action) const;
  void tell_left_out();
  void tell_left_out(const core::Action& action);
  static core::Failure failure_of(const core::Action& action);
  void queue_downloads();
  void tell(ports::EventKind kind, ports::Level level, std::string message, std::vector<ports::Field> fields = {});
  /// Records the failure of one file, or of the cycle if the name is empty.
  void note_failure(const std::string& name, const base::Error& error);
  core::CycleReport report(base::Steady begun) const;
  ports::DownloadProgress& progress_of(const std::string& name);

  CycleResources resources_;
  Ports ports_;
  Service& service_;
  ports::CycleProgress& progress_;
  core::Listing listing_;
  std::optional<core::Plan> plan_;
  std::vector<core::PartialRecord> partials_;  ///< as they were when the plan was made
  std::vector<std::string> failed_checks_;
  std::deque<core::Action> deltas_;
  std::deque<core::Action> bulks_;
  int published_ = 0;
  int refused_ = 0;
  std::vector<core::Failure> failures_;
};

}  // namespace vtmirror::agent
