#include "core/reconcile_world.hpp"
#include "vtmirror/core/hindrance.hpp"
#include "vtmirror/core/reconcile.hpp"

#include <doctest/doctest.h>

using namespace vtmirror::core;
using namespace vtmirror::test;

TEST_CASE("what is removed without a cycle is what the policy removes, and nothing before a listing is known") {
  World world;
  const std::vector<Listed> files{bulk(0), delta(0), bulk(7), delta(7), bulk(14), delta(14)};
  world.hold(files);
  world.policy.keep_cycles = 2;
  CHECK(removals(world.inventory(), world.policy).actions.empty());
  world.history = shown({bulk(14), delta(14)}, held(files));
  const auto plan = removals(world.inventory(), world.policy);
  REQUIRE(plan.actions.size() == 2);
  CHECK(plan.actions[0].name == bulk(0).name);
  CHECK(plan.actions[1].name == delta(0).name);
  CHECK(plan.actions[0].reason == Reason::beyond_keep_cycles);
  CHECK(plan.actions[0].size == bulk(0).size);
}

TEST_CASE("nothing of the newest whole chain is removed while a newer one is not whole") {
  World world;
  const std::vector<Listed> files{bulk(0), delta(0), bulk(7), delta(7)};
  world.hold(files);
  world.policy.keep_cycles = 1;
  world.history = shown({bulk(7), delta(7), delta(8)}, held(files));
  CHECK(removals(world.inventory(), world.policy).actions.empty());
  // The catalogue alone would say that the chain is whole.
  world.hold(delta(8));
  CHECK(removals(world.inventory(), world.policy).actions.size() == 2);
  std::erase_if(world.on_disk, [](const LocalFile& file) { return file.name == delta(8).name; });
  CHECK(removals(world.inventory(), world.policy).actions.empty());
}

TEST_CASE("nothing is removed while a directory cannot be read, except what is in the quarantine") {
  World world;
  const std::vector<Listed> files{bulk(0), delta(0), bulk(7), delta(7)};
  world.hold(files);
  world.policy.keep_cycles = 1;
  world.history = shown({bulk(7), delta(7)}, held(files));
  auto inventory = world.inventory();
  CHECK(removals(inventory, world.policy).actions.size() == 2);
  inventory.unread = {unread_directory("v1/public/delta", "Permission denied")};
  inventory.quarantined = {{.name = bulk(0).name, .size = 7, .left_at = inventory.at - world.policy.quarantine}};
  const auto plan = removals(inventory, world.policy);
  REQUIRE(plan.actions.size() == 1);
  CHECK(plan.actions[0].reason == Reason::quarantine_over);
}

TEST_CASE("quarantined files that are no longer kept are removed with their reason") {
  World world;
  world.policy.quarantine = std::chrono::hours(1);
  auto inventory = world.inventory();
  inventory.quarantined = {{.name = bulk(0).name, .size = 7, .left_at = inventory.at - std::chrono::hours(1)},
                           {.name = bulk(7).name, .size = 7, .left_at = inventory.at - std::chrono::minutes(59)},
                           {.name = bulk(14).name, .size = 7}};
  const auto plan = removals(inventory, world.policy);
  REQUIRE(plan.actions.size() == 1);
  CHECK(plan.actions[0].reason == Reason::quarantine_over);
  CHECK(plan.actions[0].date == day(0));
  CHECK(plan.actions[0].size == 7);
}

TEST_CASE("a held file of a day to come is removed whatever the policy keeps, and counts as no chain") {
  World world;
  const std::vector<Listed> files{bulk(0), delta(0), bulk(7), delta(7)};
  const std::vector<Listed> early{delta(50), bulk(60)};
  world.hold(files);
  world.hold(early);
  auto listing = listing_of({bulk(7), delta(7)});
  refuse_days_to_come(listing, std::chrono::sys_days(day(7)), std::nullopt);
  world.history = observe({}, listing, held({bulk(0), delta(0), bulk(7), delta(7), delta(50), bulk(60)}), {});
  for (const int keep : {0, 2, 1}) {
    CAPTURE(keep);
    world.policy.keep_cycles = keep;
    const auto plan = removals(world.inventory(), world.policy);
    std::vector<std::string> to_come, older;
    for (const auto& action : plan.actions)
      (action.reason == Reason::day_to_come ? to_come : older).push_back(action.name);
    std::ranges::sort(to_come);
    CHECK(to_come == std::vector<std::string>{bulk(60).name, delta(50).name});
    CHECK(older.size() == (keep == 1 ? 2 : 0));
  }
}

TEST_CASE("a file that is gone from disk frees nothing, and one of another size what it occupies") {
  World world;
  const std::vector<Listed> files{bulk(0), delta(0), delta(1), bulk(7), delta(7)};
  world.hold(files);
  world.policy.keep_cycles = 1;
  world.history = shown({bulk(7), delta(7)}, held(files));
  auto inventory = world.inventory();
  std::erase_if(inventory.on_disk, [](const LocalFile& file) { return file.name == delta(0).name; });
  std::ranges::find(inventory.on_disk, delta(1).name, &LocalFile::name)->size = 5;
  const auto plan = removals(inventory, world.policy);
  REQUIRE(plan.actions.size() == 3);
  for (const auto& action : plan.actions) {
    CAPTURE(action.name);
    CHECK(action.size == (action.name == delta(0).name ? 0 : action.name == delta(1).name ? 5 : bulk(0).size));
  }
}
