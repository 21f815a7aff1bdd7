#include "vtmirror/core/reconcile.hpp"

#include <doctest/doctest.h>

#include <functional>
#include <set>

#include "core/reconcile_world.hpp"
#include "support/upstream.hpp"

using namespace vtmirror::core;
using namespace vtmirror::test;

namespace {

using Files = std::vector<Listed>;

Action expected(ActionKind kind, Reason reason, const Listed& file, std::int64_t durable = 0) {
  return {kind, reason, file.kind, file.name, file.date, file.size, durable};
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
  seen.clear();
  std::erase_if(world.partials_on_disk, [&](const LocalFile& file) { return !seen.insert(file.name).second; });
  world.listing.refused.clear();
  if (chance(random, 20))
    world.listing.refused = {
        {Kind::delta, "delta[3]", "no link"}, {Kind::delta, "delta[4]", "no size"}, {Kind::bulk, "bulk[0]", "x"}};
}

int turn(const Action& action) {
  switch (action.kind) {
    case ActionKind::adopt:
      return 0;
    case ActionKind::drop_partial:
      return 1;
    case ActionKind::keep:
      return 4;
    case ActionKind::skip:
      return 5;
    case ActionKind::refuse:
      return 6;
    case ActionKind::prune:
      return 7;
    default:
      return action.file_kind == Kind::delta ? 2 : 3;
  }
}

void check_order(const Plan& plan) {
  for (std::size_t i = 1; i < plan.actions.size(); ++i) {
    const Action& before = plan.actions[i - 1];
    const Action& after = plan.actions[i];
    CHECK(turn(before) <= turn(after));
    if (turn(before) == 2 && turn(after) == 2) CHECK(before.date <= after.date);
  }
}

/// The files that a plan must not touch: every listed file, and the newest chain of which the mirror holds every file.
/// Worked out here without the code that plans.
struct Promise {
  explicit Promise(const World& world) {
    for (const Entry& entry : world.listing.entries) untouchable.insert(entry.name);
    std::vector<FileRecord> bulks;
    std::set<vtmirror::base::Date> days;
    for (const FileRecord& record : world.records)
      if (record.kind == Kind::bulk) bulks.push_back(record);
    for (const FileRecord& record : bulks) days.insert(record.date);
    for (const Entry& entry : world.listing.entries)
      if (entry.kind == Kind::bulk) days.insert(entry.date);
    std::ranges::sort(bulks, std::greater(), &FileRecord::date);
    for (const FileRecord& bulk : bulks) {
      const auto next = days.upper_bound(bulk.date);
      std::set<std::string> chain{bulk.name};
      const auto is_its = [&](const auto& file) {
        return file.kind == Kind::delta && file.date >= bulk.date && (next == days.end() || file.date < *next);
      };
      for (const FileRecord& record : world.records)
        if (is_its(record)) chain.insert(record.name);
      const bool listed = untouchable.contains(bulk.name);
      for (const Entry& entry : world.listing.entries)
        if (listed || is_its(entry)) chain.insert(entry.name);
      if (std::ranges::all_of(chain, [&](const std::string& name) { return is_here(world, name); })) {
        untouchable.insert(chain.begin(), chain.end());
        return;
      }
    }
  }
  static bool is_here(const World& world, const std::string& name) {
    const auto record = std::ranges::find(world.records, name, &FileRecord::name);
    const auto copy = std::ranges::find(world.on_disk, name, &LocalFile::name);
    const auto entry = std::ranges::find(world.listing.entries, name, &Entry::name);
    const bool whole = record != world.records.end() && copy != world.on_disk.end() && copy->size == record->size;
    return whole &&
           (entry == world.listing.entries.end() || (entry->size == record->size && entry->date == record->date));
  }
  std::set<std::string> untouchable;
};

std::vector<std::string> names_of(const std::vector<Action>& actions, ActionKind kind) {
  std::vector<std::string> names;
  for (const Action& action : actions)
    if (action.kind == kind) names.push_back(action.name);
  return names;
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

TEST_CASE("a held and unchanged file is kept") {
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

TEST_CASE("a file that another program put on disk is adopted if it has the listed size, before all other actions") {
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
  CHECK(plan.actions[2].reason == Reason::damaged_on_disk);
  CHECK(plan.nothing_to_fetch());
}

namespace {

/// The plan's action for that file; empty if there is none.
Action of(const Plan& plan, const Listed& file) {
  const auto found = std::ranges::find(plan.actions, file.name, &Action::name);
  return found == plan.actions.end() ? Action{} : *found;
}

}  // namespace

TEST_CASE("a lost file that is on disk again with its size is checked and adopted, listed or not") {
  for (const bool listed : {true, false}) {
    CAPTURE(listed);
    World world;
    world.list(listed ? std::vector{bulk(0), delta(0)} : std::vector{bulk(0)});
    world.hold({bulk(0), delta(0)});
    world.records[1].condition = Condition::lost;
    auto plan = world.plan();
    CHECK(of(plan, delta(0)) == expected(ActionKind::adopt, Reason::back_on_disk, delta(0)));
    CHECK(losses(world.inventory()).empty());
    // The check finds that its bytes are not those that the mirror held.
    world.failed_checks = {delta(0).name};
    plan = world.plan();
    CHECK(plan.actions.size() == 2);
    CHECK(of(plan, delta(0)).kind == (listed ? ActionKind::fetch_again : ActionKind::refuse));
    CHECK(of(plan, delta(0)).reason == Reason::failed_checks);
    world.failed_checks.clear();
    world.store({Kind::delta, delta(0).name, delta(0).date, 5});
    CHECK(of(world.plan(), delta(0)).reason == Reason::damaged_on_disk);
  }
}

TEST_CASE("a damaged file that is not listed is checked again once it has its size, and a listed one downloaded") {
  World world;
  world.list({bulk(0)});
  world.hold({bulk(0), delta(0)});
  world.records[1].condition = Condition::damaged;
  CHECK(of(world.plan(), delta(0)) == expected(ActionKind::adopt, Reason::back_on_disk, delta(0)));
  world.list({bulk(0), delta(0)});
  CHECK(of(world.plan(), delta(0)) == expected(ActionKind::fetch_again, Reason::damaged_on_disk, delta(0)));
}

TEST_CASE("losses are what the catalogue takes for whole and the disk has not, or with another size") {
  World world;
  world.hold({bulk(0), delta(0), delta(1), delta(2)});
  CHECK(losses(world.inventory()).empty());
  std::erase_if(world.on_disk, [](const LocalFile& file) { return file.name == delta(0).name; });
  world.store({Kind::delta, delta(1).name, delta(1).date, 5});
  std::erase_if(world.on_disk, [](const LocalFile& file) { return file.name == delta(2).name; });
  world.records[3].condition = Condition::lost;
  const auto found = losses(world.inventory());
  REQUIRE(found.size() == 2);
  CHECK(found[0].name == delta(0).name);
  CHECK(found[0].condition == Condition::lost);
  CHECK(found[1].name == delta(1).name);
  CHECK(found[1].condition == Condition::damaged);
}

TEST_CASE("a file of which the store has other bytes is downloaded again, once") {
  World world;
  world.list({bulk(0), delta(0)});
  world.hold({bulk(0), delta(0)});
  world.history = observe({}, world.listing, held(std::vector{bulk(0), delta(0)}), {});
  CHECK(world.plan().nothing_to_fetch());
  world.history.files[1].changed = true;
  CHECK(of(world.plan(), delta(0)) == expected(ActionKind::fetch_again, Reason::replaced_in_store, delta(0)));
}

TEST_CASE("an entry that failed the checks is refused with the reason, and the other entries are used") {
  World world;
  world.list({delta(0)});
  world.listing.refused = {{Kind::delta, "delta[1]", "leaves the mirror"}};
  const Plan plan = world.plan();
  REQUIRE(plan.actions.size() == 2);
  CHECK(plan.actions[0].kind == ActionKind::fetch);
  CHECK(plan.actions[1] == Action{ActionKind::refuse,
                                  Reason::refused_by_checks,
                                  Kind{},
                                  "delta[1]",
                                  {},
                                  0,
                                  0,
                                  {.detail = "leaves the mirror"}});
}

TEST_CASE("refused entries of one name are in the plan in the order of the listing, whatever their reasons say") {
  for (const bool is_reworded : {false, true}) {
    World world;
    world.listing.refused = {{Kind::delta, "delta[1]", is_reworded ? "lacks its size" : "no size"},
                             {Kind::delta, "delta[1]", "no link"},
                             {Kind::bulk, "bulk[0]", "no size"}};
    const Plan plan = world.plan();
    REQUIRE(plan.actions.size() == 3);
    CHECK(plan.actions[0].name == "bulk[0]");
    CHECK(plan.actions[1].cause.detail == world.listing.refused[0].why);
    CHECK(plan.actions[2].cause.detail == "no link");
  }
}

TEST_CASE("a partial is dropped when its name has left the listing, and not before") {
  World world;
  world.begin(bulk(0), 1000);
  SUBCASE("left") {
    world.list({bulk(7)});
    const Plan plan = world.plan();
    REQUIRE(plan.actions.size() == 2);
    CHECK(plan.actions[0] == expected(ActionKind::drop_partial, Reason::not_listed_any_more, bulk(0), 1000));
    CHECK(plan.bytes_to_fetch() == bulk(7).size);
  }
  SUBCASE("listing without a bulk file") {
    world.list({});
    CHECK(world.plan().actions.empty());
  }
  SUBCASE("its entry refused") {
    world.listing.refused = {{Kind::bulk, bulk(0).name, "no link", bulk(0).date}};
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
  auto gone = expected(ActionKind::prune, Reason::beyond_keep_cycles, delta(0));
  gone.size = 0;  // it frees nothing
  CHECK(plan.actions[2] == gone);
  CHECK(plan.actions[3] == expected(ActionKind::prune, Reason::beyond_keep_cycles, bulk(0)));
}

TEST_CASE("a lost file of a chain that the policy keeps is reported, and is downloaded again if it is still listed") {
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

TEST_CASE("a bulk file that is gone from disk lets no older chain go before it is back") {
  World world;
  world.policy.keep_cycles = 1;
  world.hold({bulk(0), delta(0)});
  world.record(bulk(7));
  world.list({bulk(7)});
  const Plan plan = world.plan();
  CHECK(names_of(plan.actions, ActionKind::prune) == std::vector{delta(0).name, bulk(0).name});
  for (const Action& action : plan.actions) CHECK(action.after_downloads == (action.kind == ActionKind::prune));
  CHECK(world.carry_out(plan, {bulk(7).name}).empty());
  CHECK(names_of(world.carry_out(plan), ActionKind::prune) == names_of(plan.actions, ActionKind::prune));
}

TEST_CASE("a removal that relies on a file which has been lost since the plan was made is not carried out") {
  World world;
  world.policy.keep_cycles = 1;
  world.hold({bulk(0), bulk(7), delta(7)});
  world.list({bulk(7), delta(7), delta(8)});
  const Plan plan = world.plan();
  REQUIRE(names_of(plan.actions, ActionKind::prune) == std::vector{bulk(0).name});
  world.hold(delta(8));
  SUBCASE("a listed one") {
    std::erase_if(world.on_disk, [](const LocalFile& file) { return file.name == delta(7).name; });
  }
  SUBCASE("one that was known, and is listed no longer") { world.record(delta(9)); }
  CHECK(world.removals_due(plan).empty());
}

TEST_CASE("what relies on nothing that is to come is removed although a download fails") {
  World world;
  world.policy.keep_cycles = 1;
  world.hold({bulk(0), bulk(7), delta(7)});
  world.list({bulk(14)});
  const Plan plan = world.plan();
  REQUIRE(names_of(plan.actions, ActionKind::prune) == std::vector{delta(7).name, bulk(0).name, bulk(7).name});
  CHECK(names_of(world.carry_out(plan, {bulk(14).name}), ActionKind::prune) == std::vector{bulk(0).name});
}

TEST_CASE("a lost file of a chain that waits for its successor is refused, and removed with its chain") {
  World world;
  world.policy.keep_cycles = 1;
  world.hold(bulk(0));
  world.record(delta(0));
  world.list({bulk(7)});
  const Plan plan = world.plan();
  CHECK(names_of(plan.actions, ActionKind::refuse) == std::vector{delta(0).name});
  CHECK(names_of(plan.actions, ActionKind::prune) == std::vector{delta(0).name, bulk(0).name});
}

TEST_CASE("a file that does not fit is skipped with the space it needs, and later files that fit are downloaded") {
  World world;
  world.list({delta(0, 100), delta(1, 60), delta(2, 40), bulk(0, 30)});
  world.policy.reserve = 1'000;
  world.free_space = 1'139;
  const Plan plan = world.plan();
  CHECK(names_of(plan.actions, ActionKind::fetch) == std::vector{delta(0).name, bulk(0).name});
  CHECK(names_of(plan.actions, ActionKind::skip) == std::vector{delta(1).name, delta(2).name});
  const Action& skipped = plan.actions[2];
  CHECK(skipped.reason == Reason::does_not_fit);
  CHECK(skipped.needs == 60);
  CHECK(skipped.free == 39);
  CHECK(skipped.cause.code == vtmirror::base::Errc::no_space);
  CHECK(number(skipped.cause, "needed") == 60);
  CHECK(number(skipped.cause, "free") == 39);
  CHECK(number(skipped.cause, "reserve") == world.policy.reserve);
  CHECK(plan.bytes_to_fetch() == 130);
  world.free_space = 1'140;
  CHECK(names_of(world.plan().actions, ActionKind::skip) == std::vector{delta(1).name, bulk(0).name});
}

TEST_CASE("the space of an unfinished file is not counted again, and the reserve is kept") {
  World world;
  world.list({bulk(0, 1'000)});
  world.begin(bulk(0, 1'000), 900);
  world.free_space = 100;
  CHECK(world.plan().actions.at(0).kind == ActionKind::resume);
  world.policy.reserve = 1;
  CHECK(world.plan().actions.at(0).kind == ActionKind::skip);
  world.free_space = 0;
  const Action skipped = world.plan().actions.at(0);
  CHECK(skipped.needs == 100);
  CHECK(number(skipped.cause, "free") == -1);
  CHECK(number(skipped.cause, "reserve") == 1);
}

TEST_CASE("a partial that is fully allocated is resumed, however little of the disk is free") {
  World world;
  world.list({bulk(0, 1'000), delta(0, 10)});
  world.begin(bulk(0, 1'000), 200);
  world.partials_on_disk.back().allocated = 1'000;
  world.policy.reserve = 500;
  world.free_space = 20;
  const Plan plan = world.plan();
  REQUIRE(plan.actions.size() == 2);
  CHECK(plan.actions[0].kind == ActionKind::resume);
  CHECK(plan.actions[0].durable == 200);
  CHECK(plan.actions[1].reason == Reason::does_not_fit);
  CHECK(plan.actions[1].free == -480);
}

TEST_CASE("a plan counts the space of the partials that it drops first, and not of what it prunes afterwards") {
  World world;
  world.list({bulk(7, 100), delta(7, 10)});
  world.begin(bulk(0, 1'000), 60);
  world.policy.reserve = 5;
  world.free_space = 55;
  Plan plan = world.plan();
  CHECK(names_of(plan.actions, ActionKind::drop_partial) == std::vector{bulk(0).name});
  CHECK(names_of(plan.actions, ActionKind::fetch) == std::vector{delta(7).name, bulk(7).name});
  world.free_space = 54;
  plan = world.plan();
  CHECK(names_of(plan.actions, ActionKind::fetch) == std::vector{delta(7).name});
  REQUIRE(names_of(plan.actions, ActionKind::skip) == std::vector{bulk(7).name});
  CHECK(plan.actions[2].needs == 100);
  CHECK(plan.actions[2].free == 99);

  World pruned;
  pruned.policy.keep_cycles = 1;
  pruned.hold(bulk(0, 100));
  pruned.list({bulk(7, 100)});
  pruned.free_space = 100;
  CHECK(names_of(pruned.plan().actions, ActionKind::prune) == std::vector{bulk(0).name});
  pruned.free_space = 99;
  plan = pruned.plan();
  REQUIRE(names_of(plan.actions, ActionKind::skip) == std::vector{bulk(7).name});
  const auto skipped = std::ranges::find(plan.actions, ActionKind::skip, &Action::kind);
  CHECK(skipped->free == 99);
}

TEST_CASE("a retry leaves a quarantined bulk file alone, and neither a delta nor another edition of it") {
  World world;
  world.list({bulk(0, 100), delta(0, 10)});
  world.quarantined = {{bulk(0).name, 100, {.detail = "wrong checksum"}, {}},
                       {delta(0).name, 10, {.detail = "cut"}, {}}};
  const Plan plan = world.plan(Try::again);
  CHECK(names_of(plan.actions, ActionKind::fetch) == std::vector{delta(0).name});
  REQUIRE(names_of(plan.actions, ActionKind::skip) == std::vector{bulk(0).name});
  CHECK(plan.actions[1].reason == Reason::quarantined);
  CHECK(plan.actions[1].cause == Cause{.detail = "wrong checksum"});
  CHECK(plan.actions[0].reason == Reason::was_quarantined);
  CHECK(plan.actions[0].cause == Cause{.detail = "cut"});
  CHECK(names_of(world.plan(Try::first).actions, ActionKind::skip).empty());
  world.list({bulk(0, 101)});
  CHECK(names_of(world.plan(Try::again).actions, ActionKind::skip).empty());
}

TEST_CASE("a retry leaves a file alone in whose check the process died, of whatever kind") {
  World world;
  world.list({bulk(0, 100), delta(0, 10)});
  world.quarantined = {{delta(0).name, 10, deadly_check(3), {}}};
  CHECK(names_of(world.plan(Try::again).actions, ActionKind::skip) == std::vector{delta(0).name});
  CHECK(names_of(world.plan(Try::first).actions, ActionKind::skip).empty());
}

TEST_CASE("a quarantined file goes before the downloads when its time is over, and its space is theirs") {
  World world;
  world.list({bulk(7, 100)});
  world.quarantined = {{.name = bulk(0).name, .size = 60, .left_at = vtmirror::base::Time{} - world.policy.quarantine}};
  world.free_space = 40;
  const Plan plan = world.plan();
  REQUIRE(plan.actions.size() == 2);
  CHECK(plan.actions[0].kind == ActionKind::prune);
  CHECK(plan.actions[0].reason == Reason::quarantine_over);
  CHECK_FALSE(plan.actions[0].after_downloads);
  CHECK(plan.actions[1].kind == ActionKind::fetch);
  CHECK(world.removals_due(plan).empty());
  world.carry_out(plan);
  CHECK(world.quarantined.empty());
  CHECK(world.free_space == 0);
}

TEST_CASE("a quarantined file stays while its name is listed again, or refused, or is being downloaded") {
  World world;
  world.quarantined = {
      {.name = delta(0).name, .size = 10, .left_at = vtmirror::base::Time{} - world.policy.quarantine}};
  CHECK(names_of(world.plan().actions, ActionKind::prune) == std::vector{delta(0).name});
  world.list({delta(0, 10)});
  CHECK(names_of(world.plan().actions, ActionKind::prune).empty());
  world.list({});
  world.listing.refused = {{.name = delta(0).name, .why = "size"}};
  CHECK(names_of(world.plan().actions, ActionKind::prune).empty());
  world.listing.refused.clear();
  world.begin(delta(0, 10), 5);
  CHECK(names_of(world.plan().actions, ActionKind::prune).empty());
}

TEST_CASE("a file that lies in the mirror and failed its checks is fetched, and takes its place in the free space") {
  World world;
  world.list({bulk(0, 100)});
  world.store(bulk(0, 100));
  world.failed_checks = {bulk(0).name};
  CHECK(world.plan().actions == std::vector{expected(ActionKind::fetch_again, Reason::failed_checks, bulk(0, 100))});
  world.free_space = 99;
  CHECK(world.plan().actions.at(0).reason == Reason::does_not_fit);
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
        if (downloads(action)) CHECK(transfers.insert(action.name).second);
      }
      if (chance(random, 30)) continue;
      world.carry_out(plan);
      const Plan again = world.plan();
      CHECK(again.nothing_to_fetch());
      CHECK(again.bytes_to_fetch() == 0);
      CHECK(names_of(again.actions, ActionKind::prune).empty());
      for (const Action& action : again.actions) {
        CHECK(action.kind != ActionKind::adopt);
        CHECK(action.kind != ActionKind::drop_partial);
      }
      world.carry_out(again);
      for (const Action& action : world.plan().actions) CHECK(action.kind != ActionKind::prune);
    }
  }
}

TEST_CASE("over any history a plan does what it prints, to a disk that gets full and with downloads that fail") {
  int kept_for_now = 0;
  int skipped = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    INFO("seed " << seed);
    Random random(seed);
    Upstream upstream(random);
    World world;
    world.policy.keep_cycles = static_cast<int>(between(random, 1, 3));
    world.policy.reserve = between(random, 0, 1'000'000'000);
    world.free_space = between(random, 50'000'000'000, 250'000'000'000);
    for (int today = 0; today < 40; ++today) {
      CAPTURE(today);
      const Files listing = upstream.next_listing();
      world.list(listing);
      std::erase_if(world.on_disk, [&](const LocalFile&) { return chance(random, 2); });
      const Plan plan = world.plan();
      std::set<std::string> failing;
      for (const Action& action : plan.actions)
        if (chance(random, 20)) failing.insert(action.name);

      World all_come = world;
      CHECK(names_of(all_come.carry_out(plan), ActionKind::prune) == names_of(plan.actions, ActionKind::prune));
      CHECK(all_come.free_space >= std::min(world.free_space, world.policy.reserve));

      World published = world;
      published.make_room(plan);
      for (const Action& action : plan.actions) {
        if (downloads(action)) published.publish(action);
        if (action.kind != ActionKind::skip) continue;
        ++skipped;
        CHECK(action.needs > world.free_space - world.policy.reserve - plan.bytes_to_fetch());
      }
      CHECK(published.free_space >= std::min(world.free_space, world.policy.reserve));

      World before = world;
      for (const Action& action : plan.actions)
        if (downloads(action) && !failing.contains(action.name)) before.publish(action);
      const Promise promise(before);
      const auto chains = std::ranges::count(before.records, Kind::bulk, &FileRecord::kind);
      const std::vector<Action> removed = world.carry_out(plan, failing);
      for (const Action& action : plan.actions)
        if (downloads(action) && failing.contains(action.name)) world.stop(action, between(random, 0, action.size));
      for (const Action& action : removed) {
        CHECK(std::ranges::find(plan.actions, action) != plan.actions.end());
        if (action.kind == ActionKind::prune) CHECK_FALSE(promise.untouchable.contains(action.name));
      }
      for (const Action& action : plan.actions) {
        if (action.kind != ActionKind::prune || std::ranges::find(removed, action) != removed.end()) continue;
        CHECK(action.after_downloads);
        ++kept_for_now;
      }
      const auto left = std::ranges::count(world.records, Kind::bulk, &FileRecord::kind);
      CHECK(left >= std::min<std::ptrdiff_t>(world.policy.keep_cycles, chains));
    }
  }
  CHECK(kept_for_now > 100);
  CHECK(skipped > 100);
}
