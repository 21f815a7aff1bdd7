// What is removed without a cycle, on both kinds of shelf.
#include "support/agent_rig.hpp"

#include <doctest/doctest.h>

#include <optional>
#include <string>

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
