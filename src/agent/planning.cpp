#include "agent/planning.hpp"

#include "agent/inventory.hpp"
#include "agent/rebuild.hpp"
#include "agent/remains.hpp"

#include <utility>
#include <vector>

namespace vtmirror::agent {

using boost::asio::awaitable;

namespace {

/// Any client with read access can request a plan, so the service is asked for a listing at most once a minute for all
/// of them.
constexpr base::Milliseconds listing_life = std::chrono::minutes(1);

}  // namespace

awaitable<base::Result<core::Plan>> Planning::plan(First first) {
  const auto listing = co_await list();
  if (!listing) co_return listing.error();
  if (auto usable = check_usable(*listing); !usable) co_return usable.error();
  auto what_is_there = first == First::repairs ? inventory_of_start() : read_inventory(ports_, calls_);
  auto inventory = co_await std::move(what_is_there);
  if (!inventory) co_return inventory.error();
  const auto more = co_await releasable();
  inventory->free_space += more;
  co_return core::reconcile(*listing, *inventory, settings_.policy, core::Try::first);
}

/// A cycle releases it before it plans, and plans without it if that fails.
awaitable<std::int64_t> Planning::releasable() {
  auto look = [&shelf = ports_.shelf, now = ports_.clock.now()] { return shelf.releasable(now); };
  const auto bytes = co_await off_loop(ports_.pool.get_executor(), std::move(look));
  co_return bytes ? *bytes : 0;
}

awaitable<base::Result<core::Inventory>> Planning::inventory_of_start() {
  auto found = co_await findings_of_start();
  if (!found) co_return found.error();
  const auto removals = core::removal_repairs(*found, settings_.policy);
  co_return core::repaired(std::move(*found), removals);
}

awaitable<base::Result<core::Findings>> Planning::findings_of_start() {
  NoJournal nobody;
  Rebuild rebuild(without_journal(ports_, nobody), calls_, settings_.check, stopping_);
  auto rebuilt = co_await rebuild.survey();
  if (!rebuilt) co_return rebuilt.error();
  std::vector<core::Cause> unread;
  auto found = co_await find_remains(ports_, calls_, stopping_, unread);
  if (!found) co_return found.error();
  if (*rebuilt) found->inventory = core::rebuilt(std::move(found->inventory), std::move((*rebuilt)->files));
  found->inventory = core::repaired(*found, core::repairs(*found));
  co_return std::move(*found);
}

awaitable<base::Result<core::Listing>> Planning::list() {
  co_await turn_.acquire();
  const Taken turn(turn_);
  if (listed_ && ports_.clock.steady() - listed_at_ < listing_life) co_return *listed_;
  auto fresh = co_await service_.listing(longest_retry_after_to_begin);
  listed_at_ = ports_.clock.steady();
  if (fresh) {
    listed_ = core::without_links(std::move(fresh->listing));
  } else {
    listed_ = fresh.error();
  }
  co_return *listed_;
}

}  // namespace vtmirror::agent
