// Lines that are made up, and what is found on each.
#include "vtmirror/core/connection_count.hpp"
#include "vtmirror/core/transfer.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

namespace vtmirror::test {
namespace {

using base::Milliseconds;
using base::Steady;
using core::ConnectionCount;
using namespace std::chrono_literals;

constexpr double mb = 1e6;
constexpr int most = 32;

/// What a connection of some age may bring, and what they bring together.
struct Line {
  std::string name;
  double each = 1e12;     ///< at most, a connection
  double all = 1e12;      ///< at most, together
  double round_trip = 0;  ///< seconds; a window of 14 KiB doubles with each, up to 2 MiB
  double noise = 0;       ///< a factor of at most so much more or less for each connection and tick
  double shake = 0;       ///< likewise for all of them together
  double crowded = 1e12;  ///< with more connections than this, all is lost but a hundredth
  int allowed = most;     ///< further connections are refused
  double leaves = 0;      ///< seconds until a surplus connection has left
  double until = 1e12;    ///< seconds; then the line is `later`
  double later_each = 1e12, later_all = 1e12;

  double together(const std::vector<double>& ages, double second, std::mt19937& random) const {
    const double own = second < until ? each : later_each;
    double sum = 0;
    std::uniform_real_distribution<double> factor(1 - noise, 1 + noise);
    for (const double age : ages) {
      double rate = own;
      if (round_trip > 0) {
        const double window = std::min(14.0 * 1024 * std::exp2(std::min(age / round_trip, 30.0)), 2.0 * 1024 * 1024);
        rate = std::min(rate, window / round_trip);
      }
      sum += rate * factor(random);
    }
    if (static_cast<double>(ages.size()) > crowded) sum /= 100;
    std::uniform_real_distribution<double> shaken(1 - shake, 1 + shake);
    return std::min(sum, second < until ? all : later_all) * (shake > 0 ? shaken(random) : 1);
  }
};

struct Outcome {
  double rate = 0;    ///< bytes a second over the judged time
  double number = 0;  ///< connections over the judged time
  int peak = 0;
};

/// Ticks from 0 s on; judged from `begin` to `end`, in seconds.
Outcome live(const Line& line, ConnectionCount* count, int fixed, double begin, double end, unsigned seed = 20261122) {
  std::mt19937 random(seed);
  std::vector<double> joined;
  Outcome outcome;
  double surplus_since = 0;
  int judged = 0;
  for (int n = 0; n * 0.5 < end; ++n) {
    const double second = n * 0.5;
    const Steady now{Milliseconds(500 * n + 1000)};
    const int target = count == nullptr ? fixed : count->target();
    if (static_cast<int>(joined.size()) <= target) surplus_since = second;
    if (second - surplus_since >= line.leaves)
      while (static_cast<int>(joined.size()) > target) joined.pop_back();
    while (static_cast<int>(joined.size()) < target) {
      if (static_cast<int>(joined.size()) == line.allowed) {
        if (count != nullptr) count->refused(now, static_cast<int>(joined.size()) + 1);
        break;
      }
      joined.push_back(second);
    }
    std::vector<double> ages;
    for (const double since : joined) ages.push_back(second - since + 0.25);
    const double rate = line.together(ages, second, random);
    const auto open = static_cast<int>(joined.size());
    outcome.peak = std::max(outcome.peak, open);
    if (second >= begin) {
      outcome.rate += rate;
      outcome.number += open;
      ++judged;
    }
    if (count != nullptr) count->tick({now + 500ms, static_cast<std::int64_t>(rate / 2), open, false});
  }
  outcome.rate /= judged;
  outcome.number /= judged;
  return outcome;
}

/// The best that a fixed number brings, and the smallest number that brings nearly as much.
struct Best {
  double rate = 0;
  int number = 0;
};
Best best_of(const Line& line, double begin, double end) {
  std::vector<double> rates{0};
  for (int n = 1; n <= most; ++n) rates.push_back(live(line, nullptr, n, begin, end).rate);
  const double rate = *std::ranges::max_element(rates);
  int number = 1;
  while (rates[static_cast<std::size_t>(number)] < 0.95 * rate) ++number;
  return {rate, number};
}

const std::vector<Line> lines{
    {.name = "capped by connection", .each = 5 * mb},
    {.name = "capped by connection and in total", .each = 5 * mb, .all = 60 * mb},
    {.name = "capped in total", .each = 80 * mb, .all = 100 * mb},
    {.name = "one connection fills it", .all = 100 * mb},
    {.name = "fast and local", .each = 900 * mb, .all = 1000 * mb},
    {.name = "far", .all = 110 * mb, .round_trip = 0.08},
    {.name = "far and wide", .all = 1000 * mb, .round_trip = 0.04},
    {.name = "very far, with a slow start", .all = 50 * mb, .round_trip = 0.3},
    {.name = "lossy", .each = 4 * mb, .all = 90 * mb, .noise = 0.3},
    {.name = "a store that allows four", .each = 10 * mb, .allowed = 4},
    {.name = "a store that allows one", .each = 10 * mb, .allowed = 1},
    {.name = "a line that collapses under more than ten", .each = 3 * mb, .crowded = 10},
    {.name = "one that collapses, with connections that leave late", .each = 3 * mb, .crowded = 10, .leaves = 2},
    {.name = "capped in total, with connections that leave late", .each = 5 * mb, .all = 60 * mb, .leaves = 2},
    {.name = "faster half way",
     .each = 5 * mb,
     .all = 20 * mb,
     .until = 60,
     .later_each = 5 * mb,
     .later_all = 120 * mb},
    {.name = "slower half way",
     .each = 5 * mb,
     .all = 120 * mb,
     .until = 60,
     .later_each = 5 * mb,
     .later_all = 20 * mb},
    {.name = "each slower half way",
     .each = 20 * mb,
     .all = 80 * mb,
     .until = 60,
     .later_each = 3 * mb,
     .later_all = 80 * mb},
};

}  // namespace

TEST_CASE("on each kind of line the number found brings nearly what the best fixed number brings, and is not larger") {
  for (const auto& line : lines) {
    for (const int first : {1, 4, 16, 32}) {
      CAPTURE(line.name);
      CAPTURE(first);
      const double begin = line.until < 1e6 ? line.until + 60 : 30;
      const double end = begin + 60;
      const auto best = best_of(line, begin, end);
      // What it brought when nothing was in its way.
      auto usual = line;
      usual.crowded = usual.allowed = most;
      const double rate = live(usual, nullptr, first, 10, 20).rate;
      ConnectionCount count(most, {first, first == 1 ? 0 : static_cast<std::int64_t>(rate)});
      const auto outcome = live(line, &count, 0, begin, end);
      CAPTURE(best.rate / mb);
      CAPTURE(best.number);
      CAPTURE(outcome.rate / mb);
      CAPTURE(outcome.number);
      CHECK(outcome.rate >= 0.9 * best.rate);
      CHECK(outcome.number <= 1.25 * best.number + 1);
    }
  }
}

TEST_CASE("a number that was found before is held from the start on each line that is as it was") {
  for (const auto& line : lines) {
    CAPTURE(line.name);
    const auto best = best_of(line, 10, 20);
    ConnectionCount count(most, {best.number, static_cast<std::int64_t>(best.rate)});
    const auto outcome = live(line, &count, 0, 0, 5);
    const auto fixed = live(line, nullptr, best.number, 0, 5);
    CHECK(outcome.peak == best.number);
    CHECK(outcome.rate >= 0.98 * fixed.rate);
    CHECK(count.target() == best.number);
  }
}

TEST_CASE("connections that begin slowly on a line that shakes do not end the search too early") {
  const Line line{.name = "very far", .all = 50 * mb, .round_trip = 0.3, .shake = 0.2};
  for (unsigned seed = 0; seed < 200; ++seed) {
    CAPTURE(seed);
    ConnectionCount count(most);
    static_cast<void>(live(line, &count, 0, 9, 10, seed));
    CHECK(count.target() >= 8);
  }
}

TEST_CASE("a number that brings much less than it did is searched anew, and one of a fixed limit is scaled") {
  const Line line{.name = "capped by connection", .each = 5 * mb};
  ConnectionCount slower(most, {16, static_cast<std::int64_t>(800 * mb)});
  CHECK(live(line, &slower, 0, 3, 4).number <= 2);
  // 32 connections brought 160 MB/s, and only 8 are allowed now.
  ConnectionCount fewer(8, {32, static_cast<std::int64_t>(160 * mb)});
  const auto outcome = live(line, &fewer, 0, 0, 5);
  CHECK(outcome.number == 8);
  REQUIRE(fewer.found());
  CHECK(fewer.found()->rate == static_cast<std::int64_t>(40 * mb));
}

TEST_CASE("nothing is judged while the rate limit or the disk holds the bytes back, or connections are missing") {
  for (const bool hindered : {false, true}) {
    CAPTURE(hindered);
    ConnectionCount count(most);
    for (int n = 1; n <= 100; ++n) {
      const int open = hindered ? count.target() : count.target() - 1;
      count.tick({Steady{Milliseconds(500 * n)}, 1'000'000, open, hindered});
    }
    CHECK(count.target() == 1);
    CHECK_FALSE(count.found().has_value());
  }
}

TEST_CASE("there is a connection for each file, whatever it brings") {
  const Line line{.name = "one connection fills it", .all = 100 * mb};
  ConnectionCount count(most);
  count.at_least({}, 3);
  CHECK(count.target() == 3);
  const auto outcome = live(line, &count, 0, 30, 90);
  CHECK(outcome.number >= 3);
  CHECK(outcome.number <= 4);
  count.at_least(Steady{100s}, 1);
  // The same clock goes on.
  CHECK(live(line, &count, 0, 150, 210).number <= 2);
}

TEST_CASE("what the store refused is the ceiling, and refusals of surplus connections do not lower it") {
  ConnectionCount count(most, {8, 0});
  const Steady now{std::chrono::seconds(100)};
  for (int open = 8; open > 4; --open) count.refused(now, open);
  CHECK(count.target() == 4);
  count.refused(now, 5);
  CHECK(count.target() == 4);
  count.refused(now, 1);
  CHECK(count.target() == 1);
}

TEST_CASE(
    "there are fewer connections than files only if the store has no room for one each beside others that receive") {
  Steady now{100s};
  ConnectionCount count(most, {8, 0});
  count.at_least(now, 3);
  for (int n = 0; n < 10; ++n) count.refused(now, 3, false);
  CHECK(count.target() == 3);
  count.refused(now, 3, true);
  CHECK(count.target() == 2);
  CHECK(count.is_crowded(now));
  count.at_least(now, 4);
  CHECK(count.target() == 2);
  count.refused(now, 2, true);
  CHECK(count.target() == 1);
  count.refused(now, 1, true);
  CHECK(count.target() == 1);
  // The store is asked again for one each.
  now = now + 1min;
  CHECK_FALSE(count.is_crowded(now));
  count.at_least(now, 4);
  CHECK(count.target() == 4);
}

TEST_CASE("a refusal long after the last one is held against the store as briefly as the first") {
  ConnectionCount count(most, {8, 0});
  Steady now{std::chrono::seconds(100)};
  const auto refused_until = [&] {
    count.refused(now, count.target());
    const int ceiling = count.target();
    const auto since = now;
    while (count.target() <= ceiling && now - since < 1h) {
      now = now + 500ms;
      count.tick({now, std::int64_t{1'000'000} * count.target(), count.target(), false});
    }
    return now - since;
  };
  const auto first = refused_until();
  const auto second = refused_until();
  CHECK(second > first);
  now = now + 2h;
  CHECK(refused_until() <= first + 30s);
}

TEST_CASE("connections go where the most is left for each, and none where there is no piece for it") {
  constexpr std::int64_t piece = core::smallest_piece;
  const auto given = [](int connections, const std::vector<std::int64_t>& left, int most_each = most) {
    std::vector<core::Wanting> files;
    for (const auto bytes : left) files.push_back({bytes, false});
    return core::shares(connections, files, most_each);
  };
  CHECK(given(4, {}) == std::vector<int>{});
  CHECK(given(1, {piece, piece}) == std::vector{1, 0});
  CHECK(given(8, {100 * piece}) == std::vector{8});
  CHECK(given(8, {100 * piece, piece, piece}) == std::vector{6, 1, 1});
  CHECK(given(6, {100 * piece, 100 * piece}) == std::vector{3, 3});
  CHECK(given(32, {2 * piece, 3 * piece}) == std::vector{2, 3});
  CHECK(given(4, {0, piece}) == std::vector{1, 1});
  CHECK(given(8, {100 * piece, 10 * piece, 10 * piece}, 4) == std::vector{4, 2, 2});
  CHECK(given(12, {100 * piece, 10 * piece, 10 * piece}, 4) == std::vector{4, 4, 4});
}

TEST_CASE("deltas have a connection before the bulk file") {
  const std::vector<core::Wanting> files{{40'000'000'000, false}, {1000, true}, {1000, true}};
  CHECK(core::shares(1, files, most) == std::vector{0, 1, 0});
  CHECK(core::shares(2, files, most) == std::vector{0, 1, 1});
  CHECK(core::shares(3, files, most) == std::vector{1, 1, 1});
  CHECK(core::shares(9, files, most) == std::vector{7, 1, 1});
}

}  // namespace vtmirror::test
