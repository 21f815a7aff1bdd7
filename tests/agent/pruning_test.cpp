// What is removed without a cycle, on both kinds of shelf.
#include "vtmirror/report/pruning.hpp"
#include "support/agent_rig.hpp"
#include "vtmirror/core/health.hpp"

#include <doctest/doctest.h>

#include <functional>
#include <optional>
#include <string>
#include <utility>

using namespace vtmirror;
using namespace vtmirror::test;

namespace {

using std::chrono::hours;
using Outcome = std::optional<base::Result<core::Pruning>>;

const std::string next_bulk = "v1/public/bulk/year=2026/month=11/day=22/bulk-light-vehicle_22-11-2026.zip";

boost::asio::awaitable<void> look(agent::Agent& agent, Outcome& outcome) {
  outcome = co_await agent.removals_of_start();
}
boost::asio::awaitable<void> prune(agent::Agent& agent, Outcome& outcome) {
  outcome = co_await agent.prune_from_start();
}

/// Two whole chains, and then a setting that keeps one.
struct Rig : AgentRig {
  explicit Rig(MemoryStorage::Way way) : AgentRig(way) {
    list_wednesday(*this, 60'000);
    REQUIRE(cycle());
    service.files.clear();
    list(next_bulk, core::Kind::bulk, "2026-11-22", 50'000, 3);
    list(delta_name(22), core::Kind::delta, "2026-11-22", 20'000, 4);
    REQUIRE(cycle());
    REQUIRE(storage.published.size() == 7);
    settings.policy.keep_cycles = 1;
  }
  base::Result<core::Pruning> run(boost::asio::awaitable<void> (*work)(agent::Agent&, Outcome&)) {
    Outcome outcome;
    in_process([&](agent::Agent& agent) { return work(agent, outcome); });
    return *outcome;
  }
};

}  // namespace

TEST_CASE("a prune removes what its look names, and asks nobody for a listing") {
  for (const auto way : {MemoryStorage::Way::rename, MemoryStorage::Way::copy}) {
    Rig rig(way);
    const int listings = rig.service.listings;
    const auto planned = rig.run(&look);
    REQUIRE(planned);
    CHECK(planned->removals.size() == 5);
    CHECK(rig.storage.published.size() == 7);
    const auto generation = rig.storage.manifest->edition.generation;
    const auto pruned = rig.run(&prune);
    REQUIRE(pruned);
    CHECK(pruned->removals == planned->removals);
    CHECK(pruned->failures.empty());
    CHECK(rig.holds_everything());
    CHECK(rig.storage.published.size() == 2);
    CHECK(rig.storage.manifest->chain.files.size() == 2);
    CHECK(rig.storage.manifest->edition.generation == generation + 1);
    CHECK(rig.service.listings == listings);
    CHECK(rig.journal.count(ports::EventKind::pruned) == 5);
  }
}

TEST_CASE("a file that cannot be removed is named, and the others are removed") {
  Rig rig(MemoryStorage::Way::rename);
  rig.storage.stuck.insert(delta_name(16));
  const auto pruned = rig.run(&prune);
  REQUIRE(pruned);
  CHECK(pruned->removals.size() == 4);
  REQUIRE(pruned->failures.size() == 1);
  CHECK(pruned->failures[0].cause.subject == delta_name(16));
  CHECK(rig.storage.published.size() == 3);
}

TEST_CASE("a file that cannot be removed is named by each prune and each look until it is gone") {
  Rig rig(MemoryStorage::Way::rename);
  const auto stuck = delta_name(16);
  rig.storage.stuck.insert(stuck);
  REQUIRE(rig.run(&prune)->failures.size() == 1);
  for (int again = 0; again < 2; ++again) {
    const auto looked = rig.run(&look);
    REQUIRE(looked);
    REQUIRE(looked->removals.size() == 1);
    CHECK(looked->removals[0].name == stuck);
    const auto pruned = rig.run(&prune);
    REQUIRE(pruned);
    CHECK(pruned->removals.empty());
    REQUIRE(pruned->failures.size() == 1);
    CHECK(pruned->failures[0].cause.subject == stuck);
  }
  rig.storage.stuck.clear();
  const auto last = rig.run(&prune);
  REQUIRE(last);
  CHECK(last->failures.empty());
  REQUIRE(last->removals.size() == 1);
  CHECK(last->removals[0].name == stuck);
  CHECK_FALSE(rig.storage.published.contains(stuck));
  CHECK(rig.run(&look)->removals.empty());
}

TEST_CASE("while a directory cannot be read nothing is removed, and the look and the prune name it") {
  Rig rig(MemoryStorage::Way::rename);
  rig.storage.shut = {"v1/public/delta/year=2026/month=11/day=22"};
  for (const auto work : {&look, &prune}) {
    const auto found = rig.run(work);
    REQUIRE(found);
    CHECK(found->removals.empty());
    REQUIRE(found->failures.size() == 1);
    const auto text = report::pruned_summary(*found);
    CHECK(text.starts_with("nothing is removed: the directory " + *rig.storage.shut.begin() + " cannot be read: "));
    CHECK(text.find("\ngive the daemon's user access to that directory") != std::string::npos);
  }
  CHECK(rig.storage.published.size() == 7);
  rig.storage.shut.clear();
  CHECK(rig.run(&prune)->removals.size() == 5);
}

TEST_CASE("a removal from a full disk uses the room that is kept for the catalogue") {
  Rig rig(MemoryStorage::Way::rename);
  for (const auto& [name, bytes] : rig.storage.published) rig.storage.unheld.insert(name);
  rig.storage.no_room_to_hold = true;
  rig.make_room = [&rig] {
    rig.storage.unheld.clear();
    return true;
  };
  const auto pruned = rig.run(&prune);
  REQUIRE(pruned);
  CHECK(pruned->failures.empty());
  CHECK(pruned->removals.size() == 5);
}

TEST_CASE("a removal that is recorded of a file that is gone is no removal that a look or a prune names") {
  Rig rig(MemoryStorage::Way::rename);
  rig.storage.stuck.insert(delta_name(16));
  REQUIRE(rig.run(&prune)->failures.size() == 1);
  rig.storage.published.erase(delta_name(16));
  CHECK(rig.run(&look)->removals.empty());
  rig.storage.stuck.clear();
  const auto pruned = rig.run(&prune);
  REQUIRE(pruned);
  CHECK(pruned->removals.empty());
  CHECK(pruned->failures.empty());
  CHECK(rig.catalogue.leaving().value().empty());
}

TEST_CASE("a file whose bytes cannot be kept for readers stays, and the others are removed in one generation") {
  for (const bool is_full : {false, true}) {
    CAPTURE(is_full);
    Rig rig(MemoryStorage::Way::rename);
    rig.storage.no_room_to_hold = is_full;
    rig.storage.unheld.insert(delta_name(16));
    const auto generation = rig.storage.manifest->edition.generation;
    const auto pruned = rig.run(&prune);
    REQUIRE(pruned);
    CHECK(pruned->removals.size() == 4);
    REQUIRE(pruned->failures.size() == 1);
    CHECK(pruned->failures[0].cause.subject == delta_name(16));
    CHECK(rig.storage.published.contains(delta_name(16)));
    CHECK(rig.storage.published.size() == 3);
    CHECK(rig.storage.manifest->edition.generation == generation + 1);
  }
}

namespace {

/// Two calls of one agent, as two clients of a daemon make them. `between` happens in between.
boost::asio::awaitable<void> prune_twice(agent::Agent& agent, const agent::CycleSettings& settings,
                                         const std::function<void()>& between, Outcome& first, Outcome& second) {
  const auto recovered = co_await agent.recover();
  REQUIRE(recovered);
  first = co_await agent.prune(settings);
  between();
  second = co_await agent.prune(settings);
}

struct Twice {
  Outcome first;
  Outcome second;
};

Twice prune_twice(Rig& rig, const std::function<void()>& between) {
  Twice twice;
  rig.in_process(
      [&](agent::Agent& agent) { return prune_twice(agent, rig.settings, between, twice.first, twice.second); });
  return twice;
}

}  // namespace

TEST_CASE("what a prune recorded and could not finish, the next one removes and names") {
  for (const bool by_the_manifest : {true, false}) {
    CAPTURE(by_the_manifest);
    Rig rig(MemoryStorage::Way::rename);
    const auto generation = rig.storage.manifest->edition.generation;
    if (by_the_manifest)
      rig.storage.holding = [&] { rig.storage.texts_left = 0; };
    else
      for (const auto& [name, bytes] : rig.storage.published) rig.storage.stuck.insert(name);
    const auto twice = prune_twice(rig, [&] {
      CHECK(rig.storage.published.size() == 7);
      rig.storage.texts_left.reset();
      rig.storage.stuck.clear();
    });
    REQUIRE(*twice.first);
    CHECK(twice.first->value().removals.empty());
    CHECK(twice.first->value().failures.size() == 5);
    REQUIRE(*twice.second);
    CHECK(twice.second->value().removals.size() == 5);
    CHECK(twice.second->value().failures.empty());
    CHECK(rig.storage.published.size() == 2);
    CHECK(rig.storage.manifest->edition.generation == generation + 1);
    CHECK(rig.journal.count(ports::EventKind::pruned) == 5);
    CHECK(rig.catalogue.leaving().value().empty());
  }
}

TEST_CASE("a removal that two prunes could not finish without a manifest is left to the third") {
  Rig rig(MemoryStorage::Way::rename);
  rig.storage.holding = [&] { rig.storage.texts_left = 0; };
  Outcome last;
  const auto thrice = [&](agent::Agent& agent) -> boost::asio::awaitable<void> {
    const auto recovered = co_await agent.recover();
    REQUIRE(recovered);
    for (int failing = 0; failing < 2; ++failing) {
      const auto failed = co_await agent.prune(rig.settings);
      CHECK((!failed || failed->removals.empty()));
    }
    rig.storage.texts_left.reset();
    last = co_await agent.prune(rig.settings);
  };
  rig.in_process(thrice);
  REQUIRE(*last);
  CHECK(last->value().removals.size() == 5);
  CHECK(rig.storage.published.size() == 2);
  CHECK(rig.catalogue.leaving().value().empty());
}

TEST_CASE("beside a daemon, too, a file that stays is named by each prune, also after a restart and after a cycle") {
  Rig rig(MemoryStorage::Way::rename);
  rig.storage.stuck.insert(delta_name(16));
  const auto twice = prune_twice(rig, [] {});
  REQUIRE(*twice.first);
  CHECK(twice.first->value().removals.size() == 4);
  const auto is_named = [](const Outcome& outcome) {
    REQUIRE(*outcome);
    CHECK(outcome->value().removals.empty());
    REQUIRE(outcome->value().failures.size() == 1);
    CHECK(outcome->value().failures[0].cause.subject == delta_name(16));
  };
  is_named(twice.second);
  const auto restarted = prune_twice(rig, [] {});
  is_named(restarted.first);
  is_named(restarted.second);
  REQUIRE(rig.cycle());
  is_named(prune_twice(rig, [] {}).first);
}

namespace {

boost::asio::awaitable<void> look_between(agent::Agent& agent, Rig& rig, Outcome& looked, Outcome& pruned) {
  const auto recovered = co_await agent.recover();
  REQUIRE(recovered);
  rig.storage.stuck.insert(delta_name(16));
  const auto first = co_await agent.prune(rig.settings);
  REQUIRE(first);
  CHECK(first->failures.size() == 1);
  rig.storage.stuck.clear();
  looked = co_await agent.removals(rig.settings);
  CHECK(rig.storage.published.contains(delta_name(16)));
  pruned = co_await agent.prune(rig.settings);
}

}  // namespace

TEST_CASE("a look names what a prune recorded and could not finish, because the next one removes it") {
  Rig rig(MemoryStorage::Way::rename);
  Outcome looked;
  Outcome pruned;
  rig.in_process([&](agent::Agent& agent) { return look_between(agent, rig, looked, pruned); });
  REQUIRE(*looked);
  REQUIRE(looked->value().removals.size() == 1);
  CHECK(looked->value().removals[0].name == delta_name(16));
  CHECK(looked->value().removals == pruned->value().removals);
}

TEST_CASE("a cycle names once what kept all files from being removed, and counts them when they go") {
  Rig rig(MemoryStorage::Way::rename);
  bool refused = false;
  rig.storage.holding = [&] {
    if (!std::exchange(refused, true)) rig.storage.texts_left = 0;
  };
  rig.storage.removing = [&] { rig.storage.texts_left.reset(); };
  const auto failed = rig.cycle();
  REQUIRE(failed);
  CHECK(refused);
  CHECK(failed->removed == 0);
  CHECK(failed->failures.size() == 2);  // of the removals, and of the refresh at the end
  rig.storage.texts_left.reset();
  const auto after = rig.cycle();
  REQUIRE(after);
  CHECK(rig.storage.published.size() == 2);
  CHECK(rig.catalogue.leaving().value().empty());
}

TEST_CASE("at whatever call a prune dies, the next one leaves the newest chain and nothing else") {
  Rig counting(MemoryStorage::Way::rename);
  const int before = counting.storage.calls();
  REQUIRE(counting.run(&prune));
  const int calls = counting.storage.calls() - before;
  REQUIRE(calls > 10);
  for (int call = 1; call <= calls; ++call) {
    CAPTURE(call);
    Rig rig(MemoryStorage::Way::rename);
    rig.storage.die_at(call);
    static_cast<void>(rig.run(&prune));
    rig.storage.power_cut();
    CHECK(rig.storage.published.contains(next_bulk));
    REQUIRE(rig.run(&prune));
    CHECK(rig.holds_everything());
    CHECK(rig.storage.published.size() == 2);
  }
}

TEST_CASE("a quarantined file that is no longer kept is named by the look and by the prune of a new process") {
  Rig rig(MemoryStorage::Way::rename);
  rig.settings.policy.keep_cycles = 0;
  rig.settings.policy.quarantine = hours(48);
  const auto file = delta_name(16);
  rig.storage.quarantined[file] = "it was damaged";
  REQUIRE(rig.catalogue.keep_quarantined({file, 20'000, {.detail = "it was damaged"}, rig.clock.now()}));
  REQUIRE(rig.cycle());  // its listing is without the file
  CHECK(rig.run(&look)->removals.empty());
  rig.clock.advance(hours(48));
  const auto planned = rig.run(&look);
  REQUIRE(planned->removals.size() == 1);
  CHECK(planned->removals[0].reason == core::Reason::quarantine_over);
  CHECK(rig.storage.quarantined.contains(file));
  CHECK(rig.run(&prune)->removals == planned->removals);
  CHECK_FALSE(rig.storage.quarantined.contains(file));
  CHECK(rig.catalogue.quarantined().value().empty());
}

namespace {

const std::string of_march = "v1/public/delta/year=2027/month=3/day=4/delta-light-vehicle_04-03-2027.zip";

}  // namespace

TEST_CASE("an entry of a day to come is reported and left out, and the others are all that a cycle needs") {
  AgentRig rig;
  list_wednesday(rig);
  rig.list(of_march, core::Kind::delta, "2027-03-04", 20'000);
  const auto report = rig.cycle();
  REQUIRE(report);
  CHECK(report->outcome == core::Outcome::complete);
  CHECK(report->refused == 1);
  CHECK(rig.storage.published.size() == 5);
  CHECK_FALSE(rig.storage.published.contains(of_march));
  CHECK(rig.storage.manifest->chain.complete);
  CHECK(rig.journal.count(ports::EventKind::entry_refused) == 1);
  const auto refused = core::refused_in(rig.catalogue.calendar().value());
  REQUIRE(refused.size() == 1);
  CHECK(core::is_to_come(refused[0].cause));
}

TEST_CASE("a file of a day to come that is held leaves the chain with the next listing, and a prune removes it") {
  AgentRig rig;
  const auto now = rig.clock.start;
  rig.clock.start = std::chrono::sys_days{std::chrono::year{2027} / 3 / 5};
  list_wednesday(rig);
  rig.list(of_march, core::Kind::delta, "2027-03-04", 20'000);
  REQUIRE(rig.cycle());
  REQUIRE(rig.storage.published.contains(of_march));
  REQUIRE_FALSE(rig.storage.manifest->chain.complete);
  rig.clock.start = now;
  for (const bool is_listed : {true, false}) {
    CAPTURE(is_listed);
    if (!is_listed) rig.service.files.erase(of_march);
    REQUIRE(rig.cycle());
    CHECK(rig.storage.manifest->chain.complete);
    CHECK(rig.storage.manifest->chain.files.size() == 5);
    CHECK(rig.storage.published.contains(of_march));
  }
  rig.storage.stuck.insert(of_march);
  for (const bool is_stuck : {true, true, false}) {
    CAPTURE(is_stuck);
    if (!is_stuck) rig.storage.stuck.clear();
    Outcome pruned;
    rig.in_process([&](agent::Agent& agent) { return prune(agent, pruned); });
    REQUIRE(*pruned);
    CHECK(pruned->value().failures.size() == (is_stuck ? 1 : 0));
    CHECK(pruned->value().removals.size() == (is_stuck ? 0 : 1));
    CHECK(rig.storage.published.contains(of_march) == is_stuck);
  }
  CHECK(rig.storage.manifest->chain.complete);
}
