// The steps of a cycle that carry out the plan's removals.
#include "agent/cycle.hpp"
#include "agent/recovery.hpp"
#include "vtmirror/report/plan.hpp"

#include <algorithm>

namespace vtmirror::agent {

using boost::asio::awaitable;

namespace {

bool prunes(const core::Action& action) { return action.kind == core::ActionKind::prune; }

}  // namespace

/// Before the downloads: the plan has assigned their space.
awaitable<void> Cycle::drop_partials() {
  for (const auto& action : plan_->actions) {
    if (ports_.stop.requested()) co_return;
    if (action.kind == core::ActionKind::drop_partial) co_await remove_and_tell(action);
  }
}

/// A file that a removal depends on may have failed, or have been lost during a long transfer, so the removals are
/// checked against what is held now.
awaitable<void> Cycle::prune_all() {
  if (ports_.stop.requested() || std::ranges::none_of(plan_->actions, prunes)) co_return;
  const auto now = co_await take_inventory(ports_, resources_.calls);
  if (!now) {
    note_failure("", now.error());
    co_return;
  }
  const auto due = core::removals_due(*plan_, listing_, *now, resources_.settings.policy);
  for (const auto& action : due) co_await remove_and_tell(action);
}

awaitable<void> Cycle::remove_and_tell(core::Action action) {
  const auto removed = co_await remove(action);
  if (!removed) {
    note_failure("", removed.error());
    co_return;
  }
  if (prunes(action)) {
    ++removed_;
    removed_bytes_ += action.size;
    // A removed file needs no report of its loss.
    forget_failure(action.name);
  }
  const auto* what = prunes(action) ? "" : "the unfinished download of ";
  tell(ports::EventKind::pruned, prunes(action) ? ports::Level::info : ports::Level::notice,
       "removed " + (what + core::short_name(action.name)) + ": " + std::string(report::sentence(action.reason)),
       {{"file", action.name}});
}

awaitable<base::Result<void>> Cycle::remove(core::Action action) {
  if (prunes(action)) {
    auto removed = co_await resources_.publisher.remove(action.name);
    co_return removed;
  }
  auto drop = [&partials = ports_.partials, name = action.name] { return partials.drop(name); };
  auto dropped = co_await off_loop(ports_.pool.get_executor(), std::move(drop));
  if (!dropped) co_return dropped;
  auto forget = [name = action.name](catalogue::Catalogue& c) { return c.forget_partial(name); };
  auto forgotten = co_await resources_.calls(std::move(forget));
  co_return forgotten;
}

}  // namespace vtmirror::agent
