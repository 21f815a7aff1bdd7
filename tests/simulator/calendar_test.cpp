#include "simulator/calendar.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace vtmirror::simulator {
namespace {

base::Date day(std::string_view text) { return base::parse_date(text).value(); }

// "bulk 15, delta 15, ...": kind and day of the month of what is listed.
std::vector<std::string> listed(const Script& script, std::string_view today) {
  std::vector<std::string> files;
  for (const File& file : listed_files(script, day(today))) {
    const std::string number = std::to_string(static_cast<unsigned>(file.date.day()));
    files.push_back((file.kind == Kind::bulk ? "bulk " : "delta ") + number);
  }
  return files;
}

using Names = std::vector<std::string>;

TEST_CASE("on a Wednesday one bulk file and four deltas are listed, from the Sunday on") {
  CHECK(listed({}, "2026-11-18") == Names{"bulk 15", "delta 15", "delta 16", "delta 17", "delta 18"});
}

TEST_CASE("on a Sunday the cycle rolls over to that day's bulk file and its delta alone") {
  CHECK(listed({}, "2026-11-21").size() == 8);
  CHECK(listed({}, "2026-11-22") == Names{"bulk 22", "delta 22"});
}

TEST_CASE("names have unpadded directories and padded dates, over the ends of months and years") {
  CHECK(file_name(Kind::bulk, day("2026-11-15")) ==
        "v1/public/bulk/year=2026/month=11/day=15/bulk-light-vehicle_15-11-2026.zip");
  CHECK(file_name(Kind::delta, day("2027-01-02")) ==
        "v1/public/delta/year=2027/month=1/day=2/delta-light-vehicle_02-01-2027.zip");
  CHECK(listed({}, "2027-01-01") ==
        Names{"bulk 27", "delta 27", "delta 28", "delta 29", "delta 30", "delta 31", "delta 1"});
}

TEST_CASE("a bulk file may be dated on a Monday, and the cycle begins with it") {
  Script script;
  script.bulk_weekday_offset = 1;
  CHECK(listed(script, "2026-11-18") == Names{"bulk 16", "delta 16", "delta 17", "delta 18"});
  CHECK(listed(script, "2026-11-15").front() == "bulk 9");
}

TEST_CASE("an absent and a late delta are not listed, the bulk file of the same day is") {
  Script script;
  script.absent = {"2026-11-17", "2026-11-15"};
  script.late = {"2026-11-18"};
  CHECK(listed(script, "2026-11-18") == Names{"bulk 15", "delta 16"});
}

TEST_CASE("a late bulk file leaves the last cycle in place") {
  Script script;
  script.late = {"bulk:2026-11-15"};
  const Names files = listed(script, "2026-11-16");
  CHECK(files.front() == "bulk 8");
  CHECK(files.back() == "delta 16");
  CHECK(files.size() == 10);
}

TEST_CASE("a republished day changes the bytes and keeps the name") {
  Script script;
  const File before = listed_files(script, day("2026-11-18"))[2];
  script.republish = {{"2026-11-16", 2}};
  const File after = listed_files(script, day("2026-11-18"))[2];
  CHECK(after.name == before.name);
  CHECK(after.recipe.version == 2);
  CHECK(listed_files(script, day("2026-11-18"))[1].recipe.version == 1);
}

TEST_CASE("a rule for one kind leaves the other kind of the day alone") {
  Script script;
  script.republish = {{"bulk:2026-11-15", 3}};
  script.sizes = {{"delta:2026-11-15", 4'321}};
  const auto files = listed_files(script, day("2026-11-15"));
  CHECK(files[0].recipe.version == 3);
  CHECK(files[0].recipe.bytes == script.bulk_bytes);
  CHECK(files[1].recipe.version == 1);
  CHECK(files[1].recipe.bytes == 4'321);
}

TEST_CASE("a listed file is found again by its name, on every day of two years") {
  Script script;
  script.republish = {{"2026-02-03", 2}};
  base::Date today = day("2026-01-01");
  for (int i = 0; i < 730; ++i, today = base::next_day(today)) {
    const auto files = listed_files(script, today);
    REQUIRE(files.size() >= 2);
    REQUIRE(files.size() <= 8);
    REQUIRE(files.back().date == today);
    for (const File& file : files) REQUIRE(file_named(script, file.name).recipe == file.recipe);
  }
}

TEST_CASE("a sparse bulk file takes the usual one's place") {
  Script script;
  script.bulk_sparse_bytes = 40'000'000'000;
  CHECK(listed_files(script, day("2026-11-18"))[0].recipe.bytes == 40'000'000'000);
  CHECK(listed_files(script, day("2026-11-18"))[1].recipe.bytes == script.delta_bytes);
}

}  // namespace
}  // namespace vtmirror::simulator
