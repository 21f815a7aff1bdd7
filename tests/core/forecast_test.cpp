#include "vtmirror/core/forecast.hpp"

#include "support/upstream.hpp"
#include "vtmirror/core/retention.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>

using namespace vtmirror::core;
using namespace vtmirror::test;

namespace {

constexpr std::int64_t bulk_size = 40'000;
constexpr std::int64_t delta_size = 100;
constexpr std::int64_t chain_size = bulk_size + 7 * delta_size;

/// Weekly bulk files with a delta a day, up to and with that day.
std::vector<Listed> weeks(int first, int last) {
  std::vector<Listed> files;
  for (int at = first; at <= last; ++at) {
    if (at % 7 == 0) files.push_back(bulk(at, bulk_size));
    files.push_back(delta(at, delta_size));
  }
  return files;
}

std::vector<Listed> newest_of(const std::vector<Listed>& files, int from) {
  std::vector<Listed> newest;
  for (const auto& file : files)
    if (file.date >= day(from)) newest.push_back(file);
  return newest;
}

struct Mirror {
  explicit Mirror(int last) : last_day(last), files(weeks(0, last)) {}

  Outlook look(std::int64_t room, int keep_cycles = 0, std::int64_t reserve = 5'000) const {
    const Stock stock{held(files), {}};
    const auto calendar = shown(newest_of(files, last_day / 7 * 7), stock.held);
    return outlook(calendar, stock, savings(calendar, stock), room + reserve, {keep_cycles, reserve}, day(last_day));
  }

  int last_day;
  std::vector<Listed> files;
};

/// What a mirror that keeps everything needs until the end of that day.
std::int64_t needed(int after, int until) {
  std::int64_t bytes = 0;
  for (int at = after + 1; at <= until; ++at) bytes += delta_size + (at % 7 == 0 ? bulk_size : 0);
  return bytes;
}

}  // namespace

TEST_CASE("nothing is forecast before two whole chains were measured") {
  for (int last = 0; last < 14; ++last) CHECK_FALSE(Mirror(last).look(1'000'000).forecast);
  const auto now = Mirror(14).look(1'000'000);
  REQUIRE(now.forecast);
  CHECK(now.forecast->chain_bytes == chain_size);
  CHECK(now.forecast->chain_days == 7);
}

TEST_CASE("a mirror that has stood still for two chains forecasts nothing") {
  const Mirror mirror(17);
  const Stock stock{held(mirror.files), {}};
  const auto calendar = shown(mirror.files, stock.held);
  CHECK(outlook(calendar, stock, savings(calendar, stock), 1, {}, day(28)).forecast);
  CHECK_FALSE(outlook(calendar, stock, savings(calendar, stock), 1, {}, day(29)).forecast);
}

TEST_CASE("a mirror that keeps everything is full on the first day whose files do not fit") {
  const Mirror mirror(17);
  for (int until = 18; until < 60; ++until) {
    const auto room = needed(17, until);
    CAPTURE(until);
    CHECK(mirror.look(room).forecast->full_on > day(until));
    CHECK(mirror.look(room - 1).forecast->full_on == day(until));
  }
}

TEST_CASE("the disk is full soon if the next two bulk files with their deltas do not fit") {
  const Mirror mirror(17);
  // Days 21 and 28 bring them, and day 34 the last delta.
  CHECK_FALSE(mirror.look(needed(17, 34)).forecast->soon);
  CHECK(mirror.look(needed(17, 34) - 1).forecast->soon);
  CHECK(mirror.look(0).forecast->soon);
}

TEST_CASE("a disk whose reserve is in use is full today") {
  const auto now = Mirror(17).look(-1);
  CHECK(now.forecast->full_on == day(17));
  CHECK(now.forecast->soon);
}

TEST_CASE("a mirror that keeps three chains lasts as soon as a fourth one fits beside them for a day") {
  const Mirror mirror(17);
  CHECK_FALSE(mirror.look(2 * chain_size, 3).forecast->full_on);
  CHECK_FALSE(mirror.look(2 * chain_size, 3).forecast->soon);
  CHECK(mirror.look(bulk_size / 2, 3).forecast->full_on == day(21));
  CHECK(mirror.look(2 * chain_size, 0).forecast->full_on);
  // A chain too many is removed before the next one comes.
  CHECK_FALSE(mirror.look(bulk_size / 2, 2).forecast->full_on);
}

TEST_CASE("more room, a smaller reserve and fewer chains to keep never make a disk full sooner") {
  Random random(7);
  const auto later = [](const Outlook& a, const Outlook& b) {
    return !a.forecast->full_on || (b.forecast->full_on && *a.forecast->full_on >= *b.forecast->full_on);
  };
  for (int round = 0; round < 300; ++round) {
    const Mirror mirror(static_cast<int>(between(random, 14, 50)));
    const auto room = between(random, 0, 8 * chain_size);
    const auto keep = static_cast<int>(between(random, 1, 5));
    const auto reserve = between(random, 0, 50'000);
    const auto now = mirror.look(room, keep, reserve);
    CAPTURE(room);
    CAPTURE(keep);
    CHECK(later(mirror.look(room + between(random, 0, chain_size), keep, reserve), now));
    CHECK(later(now, mirror.look(room, keep + 1, reserve)));
    CHECK(later(now, mirror.look(room, 0, reserve)));
    CHECK(later(now, mirror.look(room - 1, keep, reserve)));
    if (now.forecast->soon) CHECK(now.forecast->full_on);
  }
}

TEST_CASE("the order in which files are known changes no forecast") {
  Random random(11);
  const Mirror mirror(24);
  const auto expected = mirror.look(3 * chain_size, 2);
  for (int round = 0; round < 50; ++round) {
    Mirror shuffled(24);
    std::shuffle(shuffled.files.begin(), shuffled.files.end(), random);
    CHECK(shuffled.look(3 * chain_size, 2) == expected);
  }
}

TEST_CASE("a week in which the machine was off does not make the chains look longer") {
  Mirror mirror(35);
  std::erase_if(mirror.files, [](const Listed& file) { return day(12) <= file.date && file.date < day(21); });
  const auto now = mirror.look(1'000'000);
  REQUIRE(now.forecast);
  CHECK(now.forecast->chain_days == 7);
  CHECK(now.forecast->chain_bytes == chain_size);
}

TEST_CASE("what was pruned still counts for the growth") {
  const Mirror mirror(17);
  const auto all = held(mirror.files);
  const auto known = shown(newest_of(mirror.files, 14), all);
  std::vector<Held> newest;
  for (const auto& file : all)
    if (file.date >= day(14)) newest.push_back(file);
  const auto now = outlook(known, {newest, {}}, {}, 10 * chain_size, {1, 0}, day(17));
  REQUIRE(now.forecast);
  CHECK(now.forecast->chain_bytes == chain_size);
}

TEST_CASE("a saving is what the retention policy would remove") {
  const Mirror mirror(24);
  const Stock stock{held(mirror.files), {}};
  const auto calendar = shown(newest_of(mirror.files, 21), stock.held);
  const auto now = outlook(calendar, stock, savings(calendar, stock), 1'000, {}, day(24));
  REQUIRE(now.savings.size() == 3);
  for (const auto& saving : now.savings) {
    const auto names = prune(calendar, stock.held, saving.keep_cycles);
    std::int64_t bytes = 0;
    for (const auto& file : stock.held)
      if (std::ranges::find(names, file.name) != names.end()) bytes += file.size;
    CHECK(saving.bytes == bytes);
  }
  CHECK(now.savings.front() == Saving{3, chain_size});
  CHECK(now.savings.back() == Saving{1, 3 * chain_size});
}

TEST_CASE("a setting that keeps as many chains as now, or more, is no saving") {
  const Mirror mirror(24);
  const Stock stock{held(mirror.files), {}};
  const auto calendar = shown(newest_of(mirror.files, 21), stock.held);
  const auto now = outlook(calendar, stock, savings(calendar, stock), 1'000, {2, 0}, day(24));
  REQUIRE(now.savings.size() == 1);
  CHECK(now.savings.front().keep_cycles == 1);
}

TEST_CASE(
    "the problem names the day, the growth and the setting that helps, and is there only when the disk is full soon") {
  const Mirror mirror(17);
  const auto cause = full_soon(mirror.look(needed(17, 20)));
  REQUIRE(cause);
  CHECK(text(*cause, "full_on") == "2026-12-06");
  CHECK(number(*cause, "left") == 4);
  CHECK(number(*cause, "chain_bytes") == chain_size);
  CHECK(number(*cause, "keep") == 1);
  CHECK(number(*cause, "frees") == 2 * chain_size);
  CHECK_FALSE(full_soon(mirror.look(10 * chain_size)));
  CHECK_FALSE(full_soon(Mirror(10).look(0)));
}

TEST_CASE("a damaged file still takes up its space, and a file that is gone takes up none") {
  const Mirror mirror(24);
  const auto whole = held(mirror.files);
  const auto calendar = shown(newest_of(mirror.files, 21), whole);
  const auto frees = [&](const Stock& stock) { return savings(calendar, stock).back().bytes; };
  const auto most = frees({whole, {}});
  auto rest = whole;
  const auto old = std::ranges::find(rest, delta(1).name, &Held::name);
  REQUIRE(old != rest.end());
  const auto lost = *old;
  rest.erase(old);
  CHECK(frees({rest, {lost}}) == most);
  CHECK(frees({rest, {lost}, {lost.name}}) == most - lost.size);
}
