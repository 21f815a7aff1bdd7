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

std::vector<core::Action> late_removals(ports::Journal& journal, Publisher& publisher) {
  auto removed = publisher.take_finished();
  for (const auto& action : removed) log_removed(journal, action);
  return removed;
}

awaitable<base::Result<core::Pruning>> find_removals(Ports ports, CycleSettings settings,
                                                     awaitable<base::Result<core::Inventory>> what_is_there) {
  const auto inventory = co_await std::move(what_is_there);
  if (!inventory) co_return inventory.error();
  core::Pruning found{.removals = core::removals(*inventory, settings.policy).actions};
  const auto stock = core::stock_of(*inventory);
  found.outlook = core::outlook(inventory->calendar, stock, core::savings(inventory->calendar, stock),
                                inventory->free_space, settings.policy, today(ports.clock));
  co_return found;
}

awaitable<base::Result<core::Pruning>> find_removals(Ports ports, CatalogueCalls& calls, const Publisher& publisher,
                                                     CycleSettings settings) {
  auto what_is_there = read_inventory(ports, calls);
  auto found = co_await find_removals(ports, std::move(settings), std::move(what_is_there));
  const auto& begun = publisher.begun_removals();
  if (found) found->removals.insert(found->removals.begin(), begun.begin(), begun.end());
  co_return found;
}

awaitable<base::Result<core::Pruning>> prune(Ports ports, CatalogueCalls& calls, Publisher& publisher,
                                             CycleSettings settings) {
  if (!publisher.begun_removals().empty()) {
    // Of a prune that failed behind its record: a plan no longer has them.
    const auto refreshed = co_await publisher.refresh();
    if (!refreshed) co_return refreshed.error();
  }
  auto finished = late_removals(ports.journal, publisher);
  auto what_is_there = read_inventory(ports, calls);
  const auto planned = co_await find_removals(ports, std::move(settings), std::move(what_is_there));
  if (!planned) co_return planned.error();
  core::Pruning done{.removals = std::move(finished), .outlook = planned->outlook};
  const auto& actions = planned->removals;
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
  const auto started = co_await start(ports, calls, recovery, settings, stopping);
  if (!started) co_return started.error();
  auto pruned = co_await prune(ports, calls, publisher, std::move(settings));
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
