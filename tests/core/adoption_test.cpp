#include "vtmirror/core/adoption.hpp"

#include "core/reconcile_world.hpp"

#include <doctest/doctest.h>

using namespace vtmirror::core;
using namespace vtmirror::test;

namespace {

std::string leaf(const Listed& file) { return file.name.substr(file.name.rfind('/') + 1); }
FolderFile found(const Listed& file, const std::string& directory = "") { return {directory + leaf(file), file.size}; }

const auto today = day(20);
const Listed sunday = bulk(0, 1'000);
const Listed first = delta(0, 100);
const Listed second = delta(1, 101);

}  // namespace

TEST_CASE("files are known by their own names, in whatever directory they lie, and get the service's names") {
  const World world;
  const auto plan = adoption_plan({found(second), found(sunday, "old/backups/"), found(first, sunday.name + "/")},
                                  world.inventory(), today);
  REQUIRE(plan.adopt.size() == 3);
  CHECK(plan.adopt[0].name == sunday.name);
  CHECK(plan.adopt[0].paths == std::vector<std::string>{"old/backups/" + leaf(sunday)});
  CHECK(plan.adopt[1].name == first.name);
  CHECK(plan.adopt[1].date == day(0));
  CHECK(plan.adopt[2].name == second.name);
  CHECK(plan.adopt[2].kind == Kind::delta);
  CHECK(plan.adopt[2].size == 101);
}

TEST_CASE("days and months of one digit are written as the service writes them") {
  const auto plan = adoption_plan({found(delta(17, 5))}, World().inventory(), today);
  REQUIRE(plan.adopt.size() == 1);
  CHECK(plan.adopt[0].name == "v1/public/delta/year=2026/month=12/day=2/delta-light-vehicle_02-12-2026.zip");
}

TEST_CASE("a name that the listing has is used as it is listed") {
  World world;
  auto elsewhere = first;
  elsewhere.name = "v2/other/" + leaf(first);
  world.history = shown({sunday, elsewhere});
  const auto plan = adoption_plan({found(first)}, world.inventory(), today);
  REQUIRE(plan.adopt.size() == 1);
  CHECK(plan.adopt[0].name == elsewhere.name);
}

TEST_CASE("a file of a day that is still to come is doubtful") {
  const auto plan =
      adoption_plan({found(delta(20, 5)), found(delta(21, 5)), found(bulk(28, 50))}, World().inventory(), today);
  REQUIRE(plan.adopt.size() == 1);
  CHECK(plan.adopt[0].date == today);
  REQUIRE(plan.doubtful.size() == 2);
  CHECK(plan.doubtful[0].why.find("by this machine's clock today is 2026-12-05") != std::string::npos);
}

TEST_CASE("other ZIP files are named, and other files are counted") {
  const auto plan = adoption_plan({{"photos.zip", 1},
                                   {"bulk-light-vehicle_31-02-2026.zip", 1},
                                   {"bulk-light-vehicle_1-2-2026.zip", 1},
                                   {"bulk-light-vehicle_01.02.2026.zip", 1},
                                   {"delta-heavy-vehicle_16-11-2026.zip", 1},
                                   {"notes.txt", 1},
                                   {leaf(first) + ".part", 1}},
                                  World().inventory(), today);
  CHECK(plan.unknown.size() == 5);
  CHECK(plan.others == 2);
  CHECK(plan.adopt.empty());
  CHECK(plan.doubtful.empty());
}

TEST_CASE("a file that is held with the same size is held already") {
  World world;
  world.hold(first);
  const auto plan = adoption_plan({found(first)}, world.inventory(), today);
  CHECK(plan.adopt.empty());
  REQUIRE(plan.held.size() == 1);
  CHECK(plan.held[0].name == first.name);
}

TEST_CASE("a held file is replaced only by the one that is listed") {
  World world;
  world.hold(first);
  auto other = first;
  other.size = 150;
  CHECK(adoption_plan({found(other)}, world.inventory(), today).doubtful.size() == 1);
  world.history = shown({sunday, other}, held(std::vector{first}));
  const auto plan = adoption_plan({found(other)}, world.inventory(), today);
  CHECK(plan.doubtful.empty());
  REQUIRE(plan.adopt.size() == 1);
  CHECK(plan.adopt[0].sha256.empty());
}

TEST_CASE("a file of another size than the listed one is doubtful") {
  World world;
  world.history = shown({sunday, first});
  auto shorter = first;
  shorter.size = 99;
  const auto plan = adoption_plan({found(shorter)}, world.inventory(), today);
  CHECK(plan.adopt.empty());
  REQUIRE(plan.doubtful.size() == 1);
  CHECK(plan.doubtful[0].why == "the service lists it with 100 bytes; this file has 99");
}

TEST_CASE("a lost file comes back only with the bytes that were published") {
  World world;
  world.record(first);
  const auto plan = adoption_plan({found(first)}, world.inventory(), today);
  REQUIRE(plan.adopt.size() == 1);
  CHECK(plan.adopt[0].sha256 == "digest");
}

TEST_CASE(
    "of two files of one name and different sizes the listed one is adopted; without a listing both are doubtful") {
  auto longer = first;
  longer.size = 200;
  const std::vector files{found(first, "a/"), found(longer, "b/")};
  World world;
  const auto unknown = adoption_plan(files, world.inventory(), today);
  CHECK(unknown.adopt.empty());
  CHECK(unknown.doubtful.size() == 2);
  world.history = shown({sunday, longer});
  const auto known = adoption_plan(files, world.inventory(), today);
  REQUIRE(known.adopt.size() == 1);
  CHECK(known.adopt[0].paths == std::vector<std::string>{"b/" + leaf(first)});
  REQUIRE(known.doubtful.size() == 1);
  CHECK(known.doubtful[0].path == "a/" + leaf(first));
}

TEST_CASE("two files of one name and size are one file that has to be compared") {
  const auto plan = adoption_plan({found(first, "a/"), found(first, "b/")}, World().inventory(), today);
  REQUIRE(plan.adopt.size() == 1);
  CHECK(plan.adopt[0].paths.size() == 2);
}

TEST_CASE("what cannot be read is doubtful, with the reason") {
  auto closed = found(first);
  closed.obstacle = "it is a symlink, which is not followed";
  const auto plan = adoption_plan({closed}, World().inventory(), today);
  REQUIRE(plan.doubtful.size() == 1);
  CHECK(plan.doubtful[0].why == closed.obstacle);
}

TEST_CASE("a directory that cannot be read is doubtful: files may lie in it") {
  const auto plan =
      adoption_plan({{.path = "day=14", .obstacle = "no", .is_directory = true}}, World().inventory(), today);
  REQUIRE(plan.doubtful.size() == 1);
  CHECK(plan.doubtful[0].path == "day=14");
  CHECK(plan.doubtful[0].why == "what lies in it is not known: no");
  CHECK(plan.others == 0);
}

TEST_CASE("directories that name another day make a file doubtful") {
  const auto plan = adoption_plan({found(first, "year=2026/month=11/day=16/")}, World().inventory(), today);
  CHECK(plan.adopt.empty());
  CHECK(plan.doubtful.size() == 1);
}

TEST_CASE("a file that somebody put into the mirror is left to the cycle") {
  World world;
  world.store(first);
  const auto plan = adoption_plan({found(first)}, world.inventory(), today);
  CHECK(plan.adopt.empty());
  CHECK(plan.doubtful.size() == 1);
}
