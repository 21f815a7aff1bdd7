#include "vtmirror/core/recovery.hpp"

#include <doctest/doctest.h>

#include <set>
#include <utility>

#include "core/reconcile_world.hpp"
#include "support/upstream.hpp"

using namespace vtmirror::core;
using namespace vtmirror::test;

namespace {

using Repairs = std::vector<Repair>;

Findings findings(const World& world) { return {world.inventory(), {}, {}}; }

/// What the mirror has after a start that succeeds in every repair.
Inventory after_start(Findings findings, const Policy& policy) {
  findings.inventory = repaired(findings, repairs(findings));
  const auto removals = removal_repairs(findings, policy);
  return repaired(std::move(findings), removals);
}

std::vector<FileRecord> removed(const std::vector<Listed>& files) {
  World world;
  world.hold(files);
  return world.records;
}

/// The newest chain, held, and the one before, whose removal was cut off.
struct Rollover : World {
  Rollover() {
    hold({bulk(7), delta(7)});
    for (const auto& file : older) store(file);
    history = shown({bulk(7), delta(7)}, held({bulk(7), delta(7)}));
    policy.keep_cycles = 1;
  }
  Findings found() const {
    Findings found{inventory(), {}, {}};
    found.leaving = removed(older);
    return found;
  }
  Repairs both(RepairKind kind) const { return {{kind, older[0].name}, {kind, older[1].name}}; }

  std::vector<Listed> older{bulk(0), delta(0)};
};

void lose(World& world, const Listed& file) {
  std::erase_if(world.on_disk, [&](const LocalFile& local) { return local.name == file.name; });
}

void verify(World& world) {
  world.partials.back().verified = true;
  world.partials.back().sha256 = "digest";
}

/// Partials of these files, verified, with all of their bytes.
void begin_verified(World& world, const std::vector<Listed>& files) {
  for (const auto& file : files) {
    world.begin(file, file.size);
    verify(world);
  }
}

}  // namespace

TEST_CASE("a partial with all that its record says needs no repair") {
  World world;
  world.begin(delta(1), 5);
  world.hold(delta(2));
  CHECK(repairs(findings(world)).empty());
  CHECK(to_compare(world.inventory()).empty());
  CHECK(lost_files(world.inventory()).empty());
}

TEST_CASE("a quarantined file that the catalogue does not know is dropped, except one that is downloaded again") {
  World world;
  world.begin(delta(3), 5);
  auto found = findings(world);
  for (const int day : {1, 2, 3}) found.quarantined.push_back({.name = delta(day).name, .size = 9});
  found.inventory.quarantined.push_back({.name = delta(2).name, .size = 9});
  const auto repairs = vtmirror::core::repairs(found);
  CHECK(repairs == Repairs{{RepairKind::drop_quarantined, delta(1).name}});
  CHECK(repaired(found, repairs).partials.size() == 1);
}

TEST_CASE("a partial whose file is gone or cut is forgotten, and an unfinished file without a record is dropped") {
  World world;
  world.begin(delta(1), 5);
  world.begin(delta(2), 5);
  world.begin(delta(3), 7);
  world.partials_on_disk[0].size = 4;
  world.partials_on_disk.erase(world.partials_on_disk.begin() + 1);
  world.partials.pop_back();
  const auto repairs = vtmirror::core::repairs(findings(world));
  CHECK(repairs == Repairs{{RepairKind::forget_cut, delta(1).name},
                           {RepairKind::forget_missing, delta(2).name},
                           {RepairKind::drop_orphan, delta(3).name}});
  const auto after = repaired(findings(world), repairs);
  CHECK(after.partials.empty());
  CHECK(after.partials_on_disk.empty());
  CHECK(after.free_space == world.free_space + 5 + 7);
}

TEST_CASE("a verified partial is published, and one that is public by its digest is recorded") {
  World world;
  begin_verified(world, {delta(1), delta(2)});
  world.partials_on_disk.pop_back();
  world.store(delta(2));
  CHECK(to_compare(world.inventory()).size() == 1);
  auto found = findings(world);
  found.renamed = {delta(2).name};
  found.leaving = removed({delta(2)});  // it is held again, so it is not removed
  const auto repairs = vtmirror::core::repairs(found);
  CHECK(repairs == Repairs{{RepairKind::publish, delta(1).name}, {RepairKind::record, delta(2).name}});
  CHECK(removal_repairs(found, {}).empty());
  const auto after = repaired(found, repairs);
  found.inventory = after;
  CHECK(removal_repairs(found, {}).empty());
  CHECK(after.files.size() == 2);
  CHECK(after.on_disk.size() == 2);
  CHECK(lost_files(after).empty());
}

TEST_CASE("a verified partial with other bytes than were checked is forgotten, and one that cannot be read is left") {
  World world;
  begin_verified(world, {delta(1), delta(2)});
  CHECK(to_check_again(world.inventory()).size() == 2);
  auto found = findings(world);
  found.altered = {delta(1).name};
  found.unread = {delta(2).name};
  const auto repairs = vtmirror::core::repairs(found);
  CHECK(repairs == Repairs{{RepairKind::forget_altered, delta(1).name}});
  const auto after = repaired(found, repairs);
  CHECK(after.partials.size() == 1);
  CHECK(after.on_disk.empty());
}

TEST_CASE("a public file that was withdrawn for a version that is lost is restored before that version is forgotten") {
  World world;
  world.hold({delta(1), delta(2)});
  begin_verified(world, {delta(1), delta(2)});
  for (auto& file : world.records) file.condition = Condition::lost;
  for (auto& file : world.records) file.sha256 = "published";
  CHECK(withdrawn(findings(world)).empty());  // both versions that replace them are whole
  world.partials_on_disk.erase(world.partials_on_disk.begin());
  auto found = findings(world);
  const auto files = withdrawn(found);
  REQUIRE(files.size() == 1);
  CHECK(files[0].name == delta(1).name);
  found.in_place = {delta(1).name};
  const auto repairs = vtmirror::core::repairs(found);
  CHECK(repairs == Repairs{{RepairKind::restore, delta(1).name},
                           {RepairKind::forget_missing, delta(1).name},
                           {RepairKind::publish, delta(2).name}});
  CHECK(lost_files(repaired(found, repairs)).empty());

  SUBCASE("not if it is of another size") { world.on_disk[0].size += 1; }
  SUBCASE("not if it is missing") { lose(world, delta(1)); }
  SUBCASE("not if it has no digest, which a cycle checks as an archive") { world.records[0].sha256.clear(); }
  SUBCASE("not if nothing withdrew it") { world.records[0].condition = Condition::whole; }
  CHECK(withdrawn(findings(world)).empty());
}

TEST_CASE("a verified partial whose file is neither there nor public is forgotten") {
  World world;
  begin_verified(world, {delta(1)});
  world.partials_on_disk.clear();
  CHECK(repairs(findings(world)) == Repairs{{RepairKind::forget_missing, delta(1).name}});
}

TEST_CASE("a removal that was cut off is finished while the policy still removes the file") {
  const Rollover world;
  CHECK(repairs(world.found()).empty());
  const auto removals = removal_repairs(world.found(), world.policy);
  CHECK(removals == world.both(RepairKind::finish_removal));
  const auto after = repaired(world.found(), removals);
  CHECK(after.on_disk.size() == 2);
  CHECK(after.files.size() == 2);
  CHECK(after.free_space == world.free_space + world.older[0].size + world.older[1].size);
}

TEST_CASE("a removal that was cut off is taken back if the policy would not remove the file now") {
  Rollover world;
  SUBCASE("the newer chain has lost its bulk file") { lose(world, bulk(7)); }
  SUBCASE("the newer chain has lost a delta") { lose(world, delta(7)); }
  SUBCASE("a file of the newer chain is known to be damaged") { world.records[0].condition = Condition::damaged; }
  SUBCASE("the settings keep two chains now") { world.policy.keep_cycles = 2; }
  SUBCASE("the settings keep all chains now") { world.policy.keep_cycles = 0; }
  const auto removals = removal_repairs(world.found(), world.policy);
  CHECK(removals == world.both(RepairKind::take_back));
  const auto after = repaired(world.found(), removals);
  CHECK(after.on_disk.size() == world.on_disk.size());
  CHECK(after.files.size() == 4);
  CHECK(after.free_space == world.free_space);
  CHECK(lost_files(after) == lost_files(world.inventory()));
}

TEST_CASE("a removal is finished in any case if the file is not on disk as it was") {
  Rollover world;
  lose(world, bulk(7));
  SUBCASE("it is gone") { lose(world, world.older[0]); }
  SUBCASE("it has another size") { world.store(bulk(0, 5)); }
  // What is taken back comes first.
  const Repairs expected{{RepairKind::take_back, world.older[1].name},
                         {RepairKind::finish_removal, world.older[0].name}};
  CHECK(removal_repairs(world.found(), world.policy) == expected);
  auto damaged = world.found();
  damaged.leaving[0].condition = Condition::damaged;
  CHECK(removal_repairs(damaged, world.policy) == expected);
}

TEST_CASE("the removal of a damaged file is judged as others are: the right bytes may be back, and not yet read") {
  Rollover world;
  auto found = world.found();
  found.leaving[0].condition = Condition::damaged;
  CHECK(removal_repairs(found, world.policy) == world.both(RepairKind::finish_removal));
  lose(world, bulk(7));
  found = world.found();
  found.leaving[0].condition = Condition::damaged;
  const auto removals = removal_repairs(found, world.policy);
  CHECK(removals == world.both(RepairKind::take_back));
  CHECK(lost_files(repaired(found, removals)).size() == lost_files(world.inventory()).size() + 1);  // still damaged
}

TEST_CASE("a file that was lost and is on disk again counts as there when its removal is judged") {
  Rollover world;
  auto found = world.found();
  for (auto& file : found.leaving) file.condition = Condition::lost;
  CHECK(removal_repairs(found, world.policy) == world.both(RepairKind::finish_removal));
  lose(world, bulk(7));
  found = world.found();
  for (auto& file : found.leaving) file.condition = Condition::lost;
  CHECK(removal_repairs(found, world.policy) == world.both(RepairKind::take_back));
}

TEST_CASE("a removal waits while a directory cannot be read, and while a new version waits for its publication") {
  Rollover world;
  auto hidden = world.found();
  hidden.inventory.unread.push_back({.subject = "v1/public/bulk"});
  CHECK(removal_repairs(hidden, world.policy).empty());
  world.begin(bulk(0), bulk(0).size);
  verify(world);
  CHECK(removal_repairs(world.found(), world.policy) == Repairs{{RepairKind::finish_removal, world.older[1].name}});
}

TEST_CASE("a publication that a start finishes may make the newer chain whole, so that a removal is finished") {
  Rollover world;
  std::erase_if(world.records, [](const FileRecord& record) { return record.kind == Kind::delta; });
  lose(world, delta(7));
  CHECK(removal_repairs(world.found(), world.policy) == world.both(RepairKind::take_back));
  begin_verified(world, {delta(7)});
  const auto after = after_start(world.found(), world.policy);
  CHECK(after.files.size() == 2);
  CHECK(after.on_disk.size() == 2);
}

TEST_CASE("whatever was lost, no removal that a start finishes takes a file that the policy keeps") {
  for (std::uint32_t seed = 1; seed <= 2000; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    World world;
    Findings found;
    for (const int week : {0, 7, 14}) {
      std::vector<Listed> chain{bulk(week)};
      for (int day = week; day < week + 3; ++day) chain.push_back(delta(day));
      world.history = shown(chain, held(chain), std::move(world.history));
      for (const auto& file : chain) {
        world.store(file);
        if (week < 14 && chance(random, 40))
          found.leaving.push_back(removed({file}).front());
        else
          world.record(file);
      }
    }
    std::erase_if(world.on_disk, [&](const LocalFile&) { return chance(random, 10); });
    world.policy.keep_cycles = static_cast<int>(between(random, 0, 3));
    found.inventory = world.inventory();
    auto as_before = found.inventory;
    as_before.files.insert(as_before.files.end(), found.leaving.begin(), found.leaving.end());
    std::set<std::string> may_go;
    for (const auto& action : removals(as_before, world.policy).actions) may_go.insert(action.name);
    const auto after = after_start(found, world.policy);
    for (const LocalFile& file : found.inventory.on_disk) {
      const bool stays = std::ranges::find(after.on_disk, file.name, &LocalFile::name) != after.on_disk.end();
      const bool is_held = std::ranges::find(after.files, file.name, &FileRecord::name) != after.files.end();
      CHECK(stays == is_held);
      CHECK((stays || may_go.contains(file.name)));
    }
    found.inventory = after;
    std::erase_if(found.leaving, [&](const FileRecord& file) {
      return std::ranges::find(after.on_disk, file.name, &LocalFile::name) == after.on_disk.end();
    });
    CHECK(removal_repairs(found, world.policy).empty());
  }
}

TEST_CASE("a held file that is not on disk is lost") {
  World world;
  world.record(delta(2));
  CHECK(lost_files(world.inventory()) == std::vector<std::string>{delta(2).name});
}

TEST_CASE("what is repaired needs no repair, and no held file is lost by a repair") {
  for (std::uint32_t seed = 1; seed <= 2000; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    World world;
    Findings found;
    for (int day = 1; day <= 8; ++day) {
      const auto file = delta(day);
      if (chance(random, 30)) world.hold(file);
      if (chance(random, 40)) world.begin(file, between(random, 1, file.size));
      if (!world.partials.empty() && world.partials.back().name == file.name && chance(random, 40)) verify(world);
      if (chance(random, 30)) world.partials_on_disk.push_back({delta(day + 100).name, 3, 3});
      if (chance(random, 10)) found.leaving.push_back(removed({file}).front());
      if (chance(random, 10)) found.renamed.push_back(file.name);
      if (chance(random, 10)) found.altered.push_back(file.name);
    }
    for (auto& file : world.partials_on_disk)
      file.size = chance(random, 30) ? between(random, 0, file.size) : file.size;
    std::erase_if(world.partials_on_disk, [&](const LocalFile&) { return chance(random, 20); });
    // A file that the catalogue holds is not one that it removed. A file that is public has its bytes on disk.
    std::erase_if(found.leaving, [&](const FileRecord& file) {
      return std::ranges::any_of(world.records, [&](const FileRecord& record) { return record.name == file.name; });
    });
    for (const auto& name : found.renamed) world.on_disk.push_back({name, delta(1).size, delta(1).size});
    found.inventory = world.inventory();
    world.policy.keep_cycles = static_cast<int>(between(random, 0, 1));
    const auto after = after_start(found, world.policy);
    CHECK(repairs({after, {}, {}}).empty());
    CHECK(after.free_space >= found.inventory.free_space);
    for (const auto& name : lost_files(after)) {
      const auto before = lost_files(found.inventory);
      CHECK(std::ranges::find(before, name) != before.end());
    }
  }
}
