// One cycle: listing, plan, space, files side by side, retention (vtmirror(8), A CYCLE).
// Promises that one file's failure never stops another's way.
#pragma once

#include "agent/fetch.hpp"
#include "agent/service.hpp"
#include "vtmirror/core/health.hpp"
#include "vtmirror/core/reconcile.hpp"

#include <deque>
#include <string>
#include <vector>

namespace vtmirror::agent {

class Cycle {
 public:
  Cycle(Workshop workshop, Service& service, ports::CycleProgress& progress);

  boost::asio::awaitable<base::Result<core::CycleReport>> run(Try which);

  /// Listing and plan alone; changes nothing.
  boost::asio::awaitable<base::Result<core::Plan>> plan();

 private:
  boost::asio::awaitable<base::Result<FreshListing>> take_listing();
  boost::asio::awaitable<base::Result<core::Plan>> make_plan(const core::Listing& listing);
  boost::asio::awaitable<base::Result<void>> leave_quarantined();
  boost::asio::awaitable<base::Result<void>> fit_into_space();
  boost::asio::awaitable<void> adopt_all(const core::Plan& plan);
  boost::asio::awaitable<base::Result<void>> adopt(core::Action action);
  boost::asio::awaitable<void> fetch_all();
  boost::asio::awaitable<void> work(core::Kind first);
  boost::asio::awaitable<void> fetch_one(core::Action action);
  boost::asio::awaitable<base::Result<catalogue::Partial>> partial_for(core::Action action);
  boost::asio::awaitable<void> let_go(const core::Plan& plan);
  boost::asio::awaitable<void> drop_partial(std::string name);
  boost::asio::awaitable<void> prune();

  void sort_out(const core::Plan& plan);
  void tell(ports::EventKind kind, ports::Level level, std::string message, std::vector<ports::Field> fields = {});
  /// The failure of one file; of none where the name is empty.
  void note_failure(const std::string& name, const base::Error& error);
  void note_failure(core::Failure failure);
  core::CycleReport report(base::Steady begun) const;
  ports::DownloadProgress& progress_of(const std::string& name);

  Workshop workshop_;
  Parts parts_;
  Service& service_;
  ports::CycleProgress& progress_;
  std::vector<core::Listed> listed_;
  std::deque<core::Action> deltas_;
  std::deque<core::Action> bulks_;
  int published_ = 0;
  int refused_ = 0;
  std::vector<core::Failure> failures_;
};

}  // namespace vtmirror::agent
