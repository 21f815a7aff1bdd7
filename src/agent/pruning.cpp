#include "agent/pruning.hpp"

#include "agent/inventory.hpp"
#include "agent/recovery.hpp"
#include "agent/start.hpp"
#include "vtmirror/report/pruning.hpp"

#include <utility>

namespace vtmirror::agent {

using boost::asio::awaitable;

namespace {

void log_removed(ports::Journal& journal, const core::Action& action) {
  ports::Event event{.kind = ports::EventKind::pruned, .level = ports::Level::info};
  event.message = report::removed_line(action);
  event.fields.push_back({"file", action.name});
  event.fields.push_back({"bytes", std::to_string(action.size)});
  journal.log(event);
}

base::Date today(const ports::Clock& clock) { return std::chrono::floor<std::chrono::days>(clock.now()); }

/// All that an outlook is made of.
struct Known {
  core::Calendar calendar;
  core::Stock stock;
};

base::Result<Known> read_known(const catalogue::Files& files) {
  auto calendar = files.calendar();
  if (!calendar) return calendar.error();
  const auto records = files.files();
  if (!records) return records.error();
  return Known{std::move(*calendar), core::stock_of(*records)};
}

/// Without what was recorded earlier.
core::Pruning planned_for(const core::Inventory& inventory, const core::Policy& policy, base::Date today) {
  core::Pruning planned{.removals = core::removals(inventory, policy).actions};
  for (const auto& directory : inventory.unread) planned.failures.push_back({.cause = directory});
  const auto stock = core::stock_of(inventory);
  planned.outlook = core::outlook(inventory.calendar, stock, core::savings(inventory.calendar, stock),
                                  inventory.free_space, policy, today);
  return planned;
}

}  // namespace

awaitable<std::vector<base::Result<void>>> remove(Ports ports, CatalogueCalls& calls, Publisher& publisher,
                                                  std::vector<core::Action> actions) {
  std::vector<core::Action> prunes;
  for (const auto& action : actions)
    if (core::removes_public_file(action)) prunes.push_back(action);
  const auto stay = co_await publisher.remove(std::move(prunes));
  std::vector<base::Result<void>> outcomes;
  for (const auto& action : actions) {
    base::Result<void> outcome;
    if (!core::removes_public_file(action))
      outcome = co_await drop_quarantined(ports, calls, action.name);
    else if (const auto stays = stay.find(action.name); stays != stay.end())
      outcome = stays->second;
    if (outcome) log_removed(ports.journal, action);
    outcomes.push_back(std::move(outcome));
  }
  co_return outcomes;
}

awaitable<base::Result<LateRemovals>> finish_late(Ports ports, Publisher& publisher, core::Policy policy) {
  auto late = co_await publisher.finish_late(std::move(policy));
  if (late)
    for (const auto& action : late->done) log_removed(ports.journal, action);
  co_return late;
}

awaitable<base::Result<core::Pruning>> find_removals(Ports ports, core::Policy policy,
                                                     awaitable<base::Result<core::Findings>> what_is_there) {
  auto found = co_await std::move(what_is_there);
  if (!found) co_return found.error();
  const auto repairs = core::removal_repairs(*found, policy);
  auto late = core::finished_removals(*found, repairs);
  auto planned = planned_for(core::repaired(std::move(*found), repairs), policy, today(ports.clock));
  planned.removals.insert(planned.removals.begin(), late.begin(), late.end());
  co_return planned;
}

awaitable<base::Result<core::Pruning>> prune(Ports ports, CatalogueCalls& calls, Publisher& publisher,
                                             core::Policy policy) {
  auto late = co_await finish_late(ports, publisher, policy);
  if (!late) co_return late.error();
  const auto inventory = co_await read_inventory(ports, calls);
  if (!inventory) co_return inventory.error();
  const auto planned = planned_for(*inventory, policy, today(ports.clock));
  core::Pruning done{.removals = std::move(late->done), .failures = planned.failures, .outlook = planned.outlook};
  for (const auto& [name, error] : late->stay) done.failures.push_back(core::failure_of(error, name));
  const auto& actions = planned.removals;
  if (actions.empty()) co_return done;
  if (ports.stop.requested()) {
    done.failures.push_back(core::stopped());
    co_return done;
  }
  const auto outcomes = co_await remove(ports, calls, publisher, actions);
  for (std::size_t i = 0; i < actions.size(); ++i)
    if (outcomes[i])
      done.removals.push_back(actions[i]);
    else
      done.failures.push_back(core::failure_of(outcomes[i].error(), actions[i].name));
  co_return done;
}

awaitable<base::Result<core::Pruning>> prune_from_start(Ports ports, CatalogueCalls& calls, Publisher& publisher,
                                                        CycleSettings settings, const std::atomic<bool>& stopping) {
  Recovery recovery(ports, calls, publisher, stopping);
  // What it could not remove, the prune does, and names it.
  const auto started = co_await start(ports, calls, recovery, settings.check, std::nullopt, stopping);
  if (!started) co_return started.error();
  auto pruned = co_await prune(ports, calls, publisher, settings.policy);
  co_return pruned;
}

awaitable<base::Result<void>> release_superseded(Ports ports) {
  auto release = [&shelf = ports.shelf, now = ports.clock.now()] { return shelf.release(now); };
  auto released = co_await off_loop(ports.pool.get_executor(), std::move(release));
  co_return released;
}

/// The file is removed before its record, because nothing would look for a file without a record again.
awaitable<base::Result<void>> drop_quarantined(Ports ports, CatalogueCalls& calls, std::string name) {
  auto clear = [&partials = ports.partials, name] { return partials.clear(name); };
  auto cleared = co_await off_loop(ports.pool.get_executor(), std::move(clear));
  if (!cleared) co_return cleared;
  auto forget = [name](catalogue::Files& files) { return files.forget_quarantined(name); };
  auto forgotten = co_await calls(std::move(forget));
  co_return forgotten;
}

awaitable<std::optional<core::Cause>> disk_full_soon(Ports ports, CatalogueCalls& calls, core::Policy policy) {
  const auto known = co_await calls(read_known);
  auto look = [&partials = ports.partials] { return partials.free_space(); };
  const auto free = co_await off_loop(ports.pool.get_executor(), std::move(look));
  if (!known || !free) co_return std::nullopt;
  const auto possible = core::savings(known->calendar, known->stock);
  co_return core::full_soon(core::outlook(known->calendar, known->stock, possible, *free, policy, today(ports.clock)));
}

}  // namespace vtmirror::agent
