// The timetable by which held files are read again.
#include "vtmirror/core/scrub.hpp"

#include "support/utc.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <vector>

using namespace vtmirror;
using namespace std::chrono_literals;
using core::FileRecord;
using test::Utc;

namespace {

constexpr auto a_day = std::chrono::days(1);
const base::Time midnight = base::parse_time("2026-11-01T00:00:00Z").value();

FileRecord file(int number, std::int64_t size, base::Time published) {
  FileRecord record;
  record.name = "file-" + std::to_string(number);
  record.date = base::Date(std::chrono::floor<std::chrono::days>(published));
  record.size = size;
  record.published_at = record.read_at = published;
  return record;
}

/// One reading of a file.
struct Read {
  std::string name;
  base::Time at{};
  base::Milliseconds age{};  ///< since the reading before it
};

/// Reads as the daemon does, at a steady rate, and adds a file each day.
struct World {
  std::vector<FileRecord> files;
  std::chrono::seconds every = std::chrono::days(30);
  base::Time now = midnight;
  std::vector<Read> reads{};
  std::int64_t rate = core::scrub_bytes_a_second;

  core::ScrubTurn turn() const { return core::next_to_scrub(files, every, Utc(), now); }

  /// `is_on`: whether the machine runs at that time.
  template <class IsOn>
  void live_until(base::Time end, IsOn is_on) {
    while (now < end) {
      if (!is_on(now)) {
        now += 10min;
        continue;
      }
      const auto next = turn();
      if (!next.file) {
        REQUIRE(next.again > now);
        now = std::min(next.again, now + 24h);
        continue;
      }
      const auto found = std::ranges::find(files, *next.file, &FileRecord::name);
      reads.push_back({found->name, now, now - found->read_at});
      now += std::chrono::seconds(found->size / rate + 1);
      found->read_at = now;
    }
  }
  void live_until(base::Time end) {
    live_until(end, [](base::Time) { return true; });
  }
};

/// What a mirror has after years: bulk files of 40 GB, a delta of 100 MB a day, published on their days.
std::vector<FileRecord> grown(int days, base::Time end) {
  std::vector<FileRecord> files;
  for (int number = 0; number < days; ++number) {
    const auto day = end - a_day * (days - number) + 8h;
    if (number % 7 == 0) files.push_back(file(10'000 + number, 40'000'000'000, day));
    files.push_back(file(number, 100'000'000, day));
  }
  return files;
}

}  // namespace

TEST_CASE("every held file is read again within its time, on any mirror that its nights are long enough for") {
  std::mt19937_64 random(11);
  for (int life = 0; life < 60; ++life) {
    World world;
    world.every = std::chrono::days(3 + random() % 60);
    const int count = 1 + static_cast<int>(random() % 60);
    for (int number = 0; number < count; ++number)
      world.files.push_back(
          file(number, static_cast<std::int64_t>(random() % 5'000'000'000), midnight - a_day * (random() % 3)));
    CAPTURE(life);
    world.live_until(midnight + 3 * world.every);
    std::map<std::string, int> times;
    for (const auto& read : world.reads) {
      ++times[read.name];
      CHECK(read.age <= world.every);
    }
    CHECK(times.size() == world.files.size());
  }
}

TEST_CASE("no file is read again before two thirds of its time are over") {
  for (const int days : {3, 10, 30, 365}) {
    World world{.files = grown(20, midnight), .every = std::chrono::days(days)};
    world.live_until(midnight + 2 * world.every);
    REQUIRE_FALSE(world.reads.empty());
    for (const auto& read : world.reads) CHECK(read.age >= world.every * 2 / 3 - 48h);
  }
}

TEST_CASE("files that were all read on one day are spread over the nights, the oldest reading first") {
  World world;
  constexpr int count = 200;
  constexpr std::int64_t size = 1'000'000'000;
  for (int number = 0; number < count; ++number)
    world.files.push_back(file(number, size, midnight - a_day + std::chrono::seconds(number)));
  world.live_until(midnight + world.every);
  std::map<base::Date, std::int64_t> nights;
  for (const auto& read : world.reads) nights[Utc().day_of(read.at)] += size;
  CHECK(nights.size() == 8);
  // An eighth each night, and one file more at most.
  for (const auto& [night, bytes] : nights) CHECK(bytes <= count * size / 8 + size);
  CHECK(std::ranges::is_sorted(world.reads, {}, [](const Read& read) { return std::stoi(read.name.substr(5)); }));
}

TEST_CASE("files are read at night, and by day only those whose time is over") {
  World world{.files = grown(18, midnight)};
  const auto by_day = [](base::Time time) {
    const auto hour = time - std::chrono::floor<std::chrono::days>(time);
    return hour >= 8h && hour < 22h;
  };
  const auto is_night = [](base::Time time) {
    const auto hour = time - std::chrono::floor<std::chrono::days>(time);
    return hour >= core::scrub_begins && hour < core::scrub_ends;
  };
  world.live_until(midnight + world.every);
  REQUIRE_FALSE(world.reads.empty());
  CHECK(std::ranges::all_of(world.reads, [&](const Read& read) { return is_night(read.at); }));

  // A machine that is off every night.
  World office{.files = grown(20, midnight)};
  office.live_until(midnight + 2 * office.every, by_day);
  REQUIRE_FALSE(office.reads.empty());
  for (const auto& read : office.reads) {
    CHECK(by_day(read.at));
    CHECK(read.age >= office.every);
    CHECK(read.age <= office.every + 24h);
  }
}

TEST_CASE("a machine that was off for months reads at once what is overdue, oldest first") {
  World world{.files = grown(10, midnight)};
  world.now = midnight + 200 * a_day + 15h;
  const auto turn = world.turn();
  REQUIRE(turn.file);
  CHECK(*turn.file == "file-0");
  CHECK(turn.again == world.now);
}

TEST_CASE("nothing is read again if mirror.scrub is zero, and nothing that is not whole or was left alone") {
  World world{.files = grown(3, midnight - 90 * a_day), .every = 0s};
  world.now = midnight + 2h;
  CHECK_FALSE(world.turn().file);
  world.every = std::chrono::days(30);
  CHECK(world.turn().file == "file-0");
  const auto turn = core::next_to_scrub(world.files, world.every, Utc(), world.now, {"file-0"});
  CHECK(turn.file == "file-10000");
  world.files.front().condition = core::Condition::damaged;
  CHECK(world.turn().file == "file-0");
  CHECK(core::next_to_scrub(world.files, world.every, Utc(), world.now, {"file-0"}).file == "file-1");
  for (auto& each : world.files) each.condition = core::Condition::lost;
  const auto none = world.turn();
  CHECK_FALSE(none.file);
  CHECK(none.again > world.now);
}

TEST_CASE("a reading from the future does not keep a file from being read") {
  World world{.files = {file(1, 100, midnight - 5 * a_day)}};
  world.now = midnight + 2h;
  CHECK_FALSE(world.turn().file);
  world.files.front().read_at = midnight + 900 * a_day;
  CHECK(world.turn().file == "file-1");
}
