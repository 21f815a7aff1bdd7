#include "vtmirror/core/reconcile.hpp"

#include <doctest/doctest.h>

#include <set>

#include "core/reconcile_world.hpp"
#include "support/upstream.hpp"

using namespace vtmirror::core;
using namespace vtmirror::test;

namespace {

using Files = std::vector<Listed>;

Action expected(ActionKind kind, Reason reason, const Listed& file, std::int64_t durable = 0) {
  return {kind, reason, file.kind, file.name, file.date, file.size, durable, ""};
}

bool is_transfer(const Action& action) {
  return action.kind == ActionKind::fetch || action.kind == ActionKind::resume ||
         action.kind == ActionKind::fetch_again;
}

/// Damage and surprises of all sorts.
void disturb(World& world, Random& random, const Files& listing) {
  for (const Listed& file : listing) {
    if (chance(random, 25)) world.begin(file, between(random, 0, file.size));
    if (chance(random, 10)) world.hold({file.kind, file.name, file.date, file.size + 1});
    if (chance(random, 10)) world.record(file);
    if (chance(random, 10)) world.store(file);
    if (chance(random, 5)) world.store({file.kind, file.name, file.date, file.size - 1});
  }
  std::erase_if(world.on_disk, [&](const LocalFile&) { return chance(random, 5); });
  if (chance(random, 20)) world.begin(delta(-30 - static_cast<int>(between(random, 0, 900))), 5);
  std::set<std::string> seen;
  std::erase_if(world.partials, [&](const PartialRecord& partial) { return !seen.insert(partial.name).second; });
  world.listing.refused.clear();
  if (chance(random, 20)) world.listing.refused = {{"delta[3]", "no link"}, {"delta[3]", "no size"}, {"bulk[0]", "x"}};
}

int turn(const Action& action) {
  switch (action.kind) {
    case ActionKind::adopt:
      return 0;
    case ActionKind::keep:
      return 3;
    case ActionKind::refuse:
      return 4;
    case ActionKind::drop_partial:
      return 5;
    case ActionKind::prune:
      return 6;
    default:
      return action.file_kind == Kind::delta ? 1 : 2;
  }
}

void check_order(const Plan& plan) {
  for (std::size_t i = 1; i < plan.actions.size(); ++i) {
    const Action& before = plan.actions[i - 1];
    const Action& after = plan.actions[i];
    CHECK(turn(before) <= turn(after));
    if (turn(before) == 1 && turn(after) == 1) CHECK(before.date <= after.date);
  }
}

}  // namespace

TEST_CASE("deltas are fetched oldest first, then the bulk file") {
  World world;
  world.list({bulk(0), delta(1), delta(0)});
  const Plan plan = world.plan();
  CHECK(plan.actions == std::vector{expected(ActionKind::fetch, Reason::not_held, delta(0)),
                                    expected(ActionKind::fetch, Reason::not_held, delta(1)),
                                    expected(ActionKind::fetch, Reason::not_held, bulk(0))});
  CHECK(plan.bytes_to_fetch() == bulk(0).size + 2 * delta(0).size);
  CHECK_FALSE(plan.nothing_to_fetch());
}

TEST_CASE("what is held and unchanged is kept") {
  World world;
  world.list({delta(0)});
  world.hold(delta(0));
  const Plan plan = world.plan();
  CHECK(plan.actions == std::vector{expected(ActionKind::keep, Reason::held_and_unchanged, delta(0))});
  CHECK(plan.nothing_to_fetch());
  CHECK(plan.bytes_to_fetch() == 0);
}

TEST_CASE("a file of which some is durable is resumed, and only the rest is counted") {
  World world;
  world.list({bulk(0)});
  world.begin(bulk(0), 30'000'000'000);
  const Plan plan = world.plan();
  CHECK(plan.actions == std::vector{expected(ActionKind::resume, Reason::partly_fetched, bulk(0), 30'000'000'000)});
  CHECK(plan.bytes_to_fetch() == 7'718'225'291);
}

TEST_CASE("a partial of another version is fetched from nothing") {
  World world;
  world.list({delta(0, 100)});
  const Action fetch = expected(ActionKind::fetch, Reason::not_held, delta(0, 100));
  SUBCASE("another size") { world.begin(delta(0, 99), 50); }
  SUBCASE("another date") {
    world.partials.push_back({delta(0).name, Kind::delta, day(1), 100, "", durable_bytes(50)});
  }
  SUBCASE("nothing durable") { world.begin(delta(0, 100), 0); }
  SUBCASE("more durable than there is") { world.begin(delta(0, 100), 101); }
  CHECK(world.plan().actions == std::vector{fetch});
}

TEST_CASE("a bulk file replaced upstream is fetched again") {
  World world;
  world.hold(bulk(0, 100));
  world.list({bulk(0, 200)});
  CHECK(world.plan().actions == std::vector{expected(ActionKind::fetch_again, Reason::size_changed, bulk(0, 200))});
  SUBCASE("and resumed when that was begun") {
    world.begin(bulk(0, 200), 150);
    CHECK(world.plan().actions == std::vector{expected(ActionKind::resume, Reason::partly_fetched, bulk(0, 200), 150)});
  }
  SUBCASE("and adopted when its publication was cut after the rename") {
    world.store(bulk(0, 200));
    CHECK(world.plan().actions == std::vector{expected(ActionKind::adopt, Reason::not_in_catalogue, bulk(0, 200))});
  }
}

TEST_CASE("a file listed with another date is fetched again") {
  World world;
  world.hold({Kind::delta, "a.zip", day(0), 100});
  world.list({{Kind::delta, "a.zip", day(1), 100}});
  const Listed wanted{Kind::delta, "a.zip", day(1), 100};
  CHECK(world.plan().actions == std::vector{expected(ActionKind::fetch_again, Reason::date_changed, wanted)});
}

TEST_CASE("a held file that is gone from disk is fetched again") {
  World world;
  world.list({delta(0)});
  world.record(delta(0));
  CHECK(world.plan().actions == std::vector{expected(ActionKind::fetch_again, Reason::gone_from_disk, delta(0))});
}

TEST_CASE("a held file with the wrong size on disk is fetched again") {
  World world;
  world.list({delta(0, 100)});
  world.record(delta(0, 100));
  world.store(delta(0, 99));
  CHECK(world.plan().actions == std::vector{expected(ActionKind::fetch_again, Reason::damaged_on_disk, delta(0, 100))});
}

TEST_CASE("a file put on disk by somebody else is adopted when its size is the listed one, and first of all") {
  World world;
  world.list({bulk(0), delta(0), delta(1)});
  world.store(bulk(0));
  world.store(delta(0, 3));
  CHECK(world.plan().actions == std::vector{expected(ActionKind::adopt, Reason::not_in_catalogue, bulk(0)),
                                            expected(ActionKind::fetch, Reason::not_held, delta(0)),
                                            expected(ActionKind::fetch, Reason::not_held, delta(1))});
}

TEST_CASE("a file on disk that neither catalogue nor listing knows is left alone") {
  World world;
  world.store(delta(0));
  CHECK(world.plan().actions.empty());
}

TEST_CASE("a file that left the listing is kept, and said to be lost when its copy is") {
  World world;
  world.list({});
  world.hold(delta(0));
  world.record(delta(1));
  world.record(delta(2));
  world.store(delta(2, 1));
  const Plan plan = world.plan();
  REQUIRE(plan.actions.size() == 3);
  CHECK(plan.actions[0] == expected(ActionKind::keep, Reason::held_and_unchanged, delta(0)));
  CHECK(plan.actions[1].kind == ActionKind::refuse);
  CHECK(plan.actions[1].reason == Reason::gone_from_disk);
  CHECK(plan.actions[1].detail.find("lists it no longer") != std::string::npos);
  CHECK(plan.actions[2].reason == Reason::damaged_on_disk);
  CHECK(plan.nothing_to_fetch());
}

TEST_CASE("an entry that failed the checks is refused with what was wrong, and the rest goes on") {
  World world;
  world.list({delta(0)});
  world.listing.refused = {{"delta[1]", "leaves the mirror"}};
  const Plan plan = world.plan();
  REQUIRE(plan.actions.size() == 2);
  CHECK(plan.actions[0].kind == ActionKind::fetch);
  CHECK(plan.actions[1] ==
        Action{ActionKind::refuse, Reason::refused_by_checks, Kind{}, "delta[1]", {}, 0, 0, "leaves the mirror"});
}

TEST_CASE("a partial is dropped when its name has left the listing, and not before") {
  World world;
  world.begin(bulk(0), 1000);
  SUBCASE("left") {
    world.list({bulk(7)});
    const Plan plan = world.plan();
    REQUIRE(plan.actions.size() == 2);
    CHECK(plan.actions[1] == expected(ActionKind::drop_partial, Reason::not_listed_any_more, bulk(0), 1000));
    CHECK(plan.bytes_to_fetch() == bulk(7).size);
  }
  SUBCASE("listing without a bulk file") {
    world.list({});
    CHECK(world.plan().actions.empty());
  }
  SUBCASE("its entry refused") {
    world.listing.refused = {{bulk(0).name, "no link"}};
    CHECK(world.plan().actions.size() == 1);
  }
}

TEST_CASE("chains beyond the policy are pruned, with what is lost of them") {
  World world;
  world.policy.keep_cycles = 1;
  world.hold({bulk(0), bulk(7), delta(7)});
  world.record(delta(0));
  world.list({bulk(7), delta(7)});
  const Plan plan = world.plan();
  REQUIRE(plan.actions.size() == 4);
  CHECK(plan.actions[2] == expected(ActionKind::prune, Reason::beyond_keep_cycles, delta(0)));
  CHECK(plan.actions[3] == expected(ActionKind::prune, Reason::beyond_keep_cycles, bulk(0)));
}

TEST_CASE("what is lost of a chain that the policy keeps is told, and what is still listed is fetched again") {
  World world;
  world.hold(Files{bulk(7), delta(7)});
  world.list({bulk(7), delta(6), delta(7)});
  world.record(delta(6));
  SUBCASE("an older file, fewer chains than are kept") {
    world.policy.keep_cycles = 2;
    world.record(delta(0));
  }
  SUBCASE("a newer file than the oldest that is kept") {
    world.policy.keep_cycles = 1;
    world.record(delta(8));
  }
  const Plan plan = world.plan();
  REQUIRE(plan.actions.size() == 4);
  CHECK(plan.actions[0] == expected(ActionKind::fetch_again, Reason::gone_from_disk, delta(6)));
  CHECK(plan.actions[3].kind == ActionKind::refuse);
}

TEST_CASE("a bulk file that is gone from disk lets no older chain go") {
  World world;
  world.policy.keep_cycles = 1;
  world.hold({bulk(0), delta(0)});
  world.record(bulk(7));
  world.list({bulk(7)});
  for (const Action& action : world.plan().actions) CHECK(action.kind != ActionKind::prune);
}

TEST_CASE(
    "over any history a plan carried out leaves nothing to fetch, and the order of what it is made from is nothing") {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    INFO("seed " << seed);
    Random random(seed);
    Upstream upstream(random);
    World world;
    world.policy.keep_cycles = static_cast<int>(between(random, 0, 3));
    for (int today = 0; today < 30; ++today) {
      CAPTURE(today);
      const Files listing = upstream.next_listing();
      world.list(listing);
      disturb(world, random, listing);
      const Plan plan = world.plan();
      check_order(plan);
      CHECK(plan.bytes_to_fetch() >= 0);

      World other = world;
      other.shuffle(random);
      CHECK(other.plan().actions == plan.actions);

      std::set<std::string> transfers;
      for (const Action& action : plan.actions) {
        if (is_transfer(action)) CHECK(transfers.insert(action.name).second);
      }
      if (chance(random, 30)) continue;
      world.carry_out(plan);
      const Plan again = world.plan();
      CHECK(again.nothing_to_fetch());
      CHECK(again.bytes_to_fetch() == 0);
      for (const Action& action : again.actions) {
        CHECK(action.kind != ActionKind::adopt);
        CHECK(action.kind != ActionKind::drop_partial);
      }
      world.carry_out(again);
      for (const Action& action : world.plan().actions) CHECK(action.kind != ActionKind::prune);
    }
  }
}
