// What a cycle would do that began now, and what it would find after the repairs before it. Promises to change nothing,
// and to ask the service at most once a minute between two cycles.
#pragma once

#include "agent/off_loop.hpp"
#include "agent/service.hpp"
#include "agent/wake.hpp"
#include "vtmirror/agent/agent.hpp"
#include "vtmirror/core/plan.hpp"
#include "vtmirror/core/recovery.hpp"

#include <atomic>
#include <cstdint>
#include <optional>

namespace vtmirror::agent {

/// What a cycle does before its plan.
enum class First { nothing, repairs };

class Planning {
 public:
  /// All but the ports are borrowed. `stopping` is read on threads of the pool.
  Planning(Ports ports, CatalogueCalls& calls, Service& service, const CycleSettings& settings,
           const std::atomic<bool>& stopping)
      : ports_(ports),
        calls_(calls),
        service_(service),
        settings_(settings),
        stopping_(stopping),
        turn_(ports.loop, 1) {}

  /// The plan of a cycle that does this first, and then releases what is due. Errors: those of the listing, catalogue,
  /// io, cancelled.
  boost::asio::awaitable<base::Result<core::Plan>> plan(First first);

  /// After a cycle: the next plan asks for a listing anew, for the cycle may have got a newer one than the last plan,
  /// or one where that got none.
  void forget_listing() { listed_.reset(); }

  /// What a start finds that succeeds in every repair but those of removals. Errors: catalogue, io, cancelled.
  boost::asio::awaitable<base::Result<core::Findings>> findings_of_start();

 private:
  boost::asio::awaitable<base::Result<core::Listing>> list();
  boost::asio::awaitable<base::Result<core::Inventory>> inventory_of_start();
  boost::asio::awaitable<std::int64_t> releasable();

  Ports ports_;
  CatalogueCalls& calls_;
  Service& service_;
  const CycleSettings& settings_;
  const std::atomic<bool>& stopping_;
  Slots turn_;
  std::optional<base::Result<core::Listing>> listed_;
  base::Steady listed_at_{};
};

}  // namespace vtmirror::agent
