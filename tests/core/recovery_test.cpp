#include "vtmirror/core/recovery.hpp"

#include <doctest/doctest.h>

#include <set>

#include "core/reconcile_world.hpp"
#include "support/upstream.hpp"

using namespace vtmirror::core;
using namespace vtmirror::test;

namespace {

using Repairs = std::vector<Repair>;

Findings findings(const World& world) { return {world.inventory(), {}, {}}; }

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

TEST_CASE("a quarantined file that the catalogue does not know is dropped, but for one that is downloaded again") {
  World world;
  world.begin(delta(3), 5);
  auto found = findings(world);
  for (const int day : {1, 2, 3}) found.quarantined.push_back({.name = delta(day).name, .size = 9});
  found.inventory.quarantined.push_back({.name = delta(2).name, .size = 9});
  const auto repairs = vtmirror::core::repairs(found);
  CHECK(repairs == Repairs{{RepairKind::drop_quarantined, delta(1).name}});
  CHECK(repaired(found.inventory, repairs).partials.size() == 1);
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
  const auto after = repaired(world.inventory(), repairs);
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
  found.leaving = {delta(2).name};  // it is held again, so it is not removed
  const auto repairs = vtmirror::core::repairs(found);
  CHECK(repairs == Repairs{{RepairKind::publish, delta(1).name}, {RepairKind::record, delta(2).name}});
  const auto after = repaired(world.inventory(), repairs);
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
  const auto after = repaired(world.inventory(), repairs);
  CHECK(after.partials.size() == 1);
  CHECK(after.on_disk.empty());
}

TEST_CASE("a verified partial whose file is neither there nor public is forgotten") {
  World world;
  begin_verified(world, {delta(1)});
  world.partials_on_disk.clear();
  CHECK(repairs(findings(world)) == Repairs{{RepairKind::forget_missing, delta(1).name}});
}

TEST_CASE("a file that the catalogue let go is removed, and a held one that is not on disk is lost") {
  World world;
  world.store(delta(1));
  world.record(delta(2));
  auto found = findings(world);
  found.leaving = {delta(1).name};
  const auto repairs = vtmirror::core::repairs(found);
  CHECK(repairs == Repairs{{RepairKind::finish_removal, delta(1).name}});
  const auto after = repaired(world.inventory(), repairs);
  CHECK(after.on_disk.empty());
  CHECK(lost_files(after) == std::vector<std::string>{delta(2).name});
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
      if (chance(random, 10)) found.leaving.push_back(file.name);
      if (chance(random, 10)) found.renamed.push_back(file.name);
      if (chance(random, 10)) found.altered.push_back(file.name);
    }
    for (auto& file : world.partials_on_disk)
      file.size = chance(random, 30) ? between(random, 0, file.size) : file.size;
    std::erase_if(world.partials_on_disk, [&](const LocalFile&) { return chance(random, 20); });
    // A file that the catalogue holds is not one that it removed. A file that is public has its bytes on disk.
    std::erase_if(found.leaving, [&](const std::string& name) {
      return std::ranges::any_of(world.records, [&](const FileRecord& record) { return record.name == name; });
    });
    for (const auto& name : found.renamed) world.on_disk.push_back({name, delta(1).size, delta(1).size});
    found.inventory = world.inventory();
    const auto after = repaired(found.inventory, repairs(found));
    CHECK(repairs({after, {}, {}}).empty());
    CHECK(after.free_space >= found.inventory.free_space);
    for (const auto& name : lost_files(after)) {
      const auto before = lost_files(found.inventory);
      CHECK(std::ranges::find(before, name) != before.end());
    }
  }
}
