// One cycle (vtmirror(8), A CYCLE): reads the listing, has core make the plan, and carries it out: adoptions, partials
// that left the listing, downloads side by side, removals. Takes in what a later listing adds while it downloads.
// Promises that the failure of one file does not stop the others. Decides nothing that is not in the plan.
#pragma once

#include "agent/clock_check.hpp"
#include "agent/downloads.hpp"
#include "agent/service.hpp"
#include "vtmirror/core/cycle_tally.hpp"
#include "vtmirror/core/history.hpp"
#include "vtmirror/core/left_out.hpp"
#include "vtmirror/core/reconcile.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace vtmirror::agent {

class Cycle {
 public:
  /// `listed` is called when the catalogue has a listing of this cycle.
  Cycle(CycleResources resources, Service& service, ports::CycleProgress& progress, std::function<void()> listed);
  ~Cycle() { resources_.links.end(); }
  Cycle(const Cycle&) = delete;
  Cycle& operator=(const Cycle&) = delete;

  boost::asio::awaitable<base::Result<core::CycleReport>> run(core::Try which);

  /// The plan that `run` carries out; empty until it has been made.
  const std::optional<core::Plan>& plan() const { return plan_; }
  /// Directories of the shelf that could not be read when the plan was made.
  const std::vector<core::Cause>& unread() const { return unread_; }
  /// Whether a listing that comes now is accepted: not before the downloads begin, nor after their end.
  bool accepts_listings() const { return accepts_listings_; }
  /// Whether a download has failed that a later listing may try again.
  bool any_failed() const { return downloads_.any_failed(); }

 private:
  boost::asio::awaitable<base::Result<void>> fetch_listing();
  boost::asio::awaitable<void> tidy();
  boost::asio::awaitable<base::Result<void>> make_plan(core::Try which);
  boost::asio::awaitable<void> adopt_all();
  boost::asio::awaitable<base::Result<void>> adopt(core::Action action);
  boost::asio::awaitable<void> fetch_all();
  boost::asio::awaitable<void> recall_connections();
  boost::asio::awaitable<void> keep_connections();
  boost::asio::awaitable<base::Result<void>> keep_listing();
  void merge(const core::Listing& later);
  boost::asio::awaitable<void> extend();
  boost::asio::awaitable<base::Result<void>> extend_by(core::Listing later);
  boost::asio::awaitable<void> make_room();
  boost::asio::awaitable<void> prune_all();
  boost::asio::awaitable<void> remove_and_count(std::vector<core::Action> actions);
  boost::asio::awaitable<void> remove_rest();
  boost::asio::awaitable<void> drop_and_log(core::Action action);

  boost::asio::awaitable<void> compare_with_chain();
  /// Files that the plan leaves out.
  void leave_out(const std::vector<core::LeftOut>& files);
  void log_left_out(const core::LeftOut& file);
  /// The number of those that are downloads.
  int queue(const std::vector<core::Action>& actions);
  void log(ports::EventKind kind, ports::Level level, std::string message, std::vector<ports::Field> fields = {});
  /// Records the failure of one file, or of the cycle if the name is empty.
  void note_failure(const std::string& name, const base::Error& error);
  core::CycleReport report(base::Steady begun) const;

  CycleResources resources_;
  Ports ports_;
  Service& service_;
  ports::CycleProgress& progress_;
  std::function<void()> listed_;
  core::Listing listing_;
  ClockCheck clock_check_;
  std::optional<core::Plan> plan_;
  std::vector<core::PartialRecord> partials_;  ///< as they were when the plan was made
  std::vector<core::Cause> unread_;
  std::vector<std::string> failed_checks_;
  bool some_stay_ = false;  ///< files that were to be removed
  Downloads downloads_;
  bool accepts_listings_ = false;
  std::optional<core::Listing> later_;  ///< the newest one that is not accepted yet
  Slots extending_;
  core::CycleTally tally_;
};

}  // namespace vtmirror::agent
