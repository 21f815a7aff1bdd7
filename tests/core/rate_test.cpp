#include "vtmirror/core/rate.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <deque>
#include <random>

namespace vtmirror::test {
namespace {

using base::Milliseconds;
using base::Steady;
using core::Pace;
using core::RatePeriod;
using core::RateRules;
using namespace std::chrono_literals;

/// An hour ahead of UTC.
struct Ahead : core::Zone {
  base::Date day_of(base::Time time) const override {
    return base::Date(std::chrono::floor<std::chrono::days>(time + 1h));
  }
  base::Time instant(base::Date day, std::chrono::minutes since_midnight) const override {
    return std::chrono::sys_days(day) + since_midnight - 1h;
  }
};

constexpr std::int64_t mb = 1'000'000;
constexpr std::array<bool, 7> working{true, true, true, true, true, false, false};
constexpr std::array<bool, 7> weekend{false, false, false, false, false, true, true};

base::Time at(std::string_view text) { return base::parse_time(text).value(); }

RateRules office() {
  return {.bytes_a_second = 20 * mb,
          .periods = {{.days = working, .from = 8h, .until = 18h, .bytes_a_second = 5 * mb},
                      {.days = working, .from = 22h, .until = 6h, .bytes_a_second = 50 * mb},
                      {.days = weekend, .bytes_a_second = 0}},
          .zone = std::make_shared<Ahead>()};
}

/// Reads as fast as it may, with pauses that end late by up to `late`. What came in which millisecond.
std::deque<std::pair<Steady, std::int64_t>> read_for(base::Milliseconds time, std::int64_t rate, Milliseconds late,
                                                     int readers) {
  Pace pace;
  std::mt19937 random(5);
  std::deque<std::pair<Steady, std::int64_t>> came;
  std::vector<Steady> ready(static_cast<std::size_t>(readers), Steady{1000ms});
  for (Steady now{1000ms}; now < Steady{1000ms} + time; now = now + 1ms) {
    for (auto& reader : ready) {
      while (now >= reader) {
        const auto grant = pace.ask(rate, 262'144, now);
        if (grant.bytes == 0) {
          reader = now + std::max(grant.pause, 1ms) + Milliseconds(random() % static_cast<unsigned>(late.count() + 1));
          break;
        }
        // Now and then less is there than was granted.
        const auto got = random() % 4 == 0 ? std::max<std::int64_t>(grant.bytes / 3, 1) : grant.bytes;
        pace.give_back(grant.bytes - got);
        came.emplace_back(now, got);
      }
    }
  }
  return came;
}

}  // namespace

TEST_CASE("the first period that fits counts, and the usual limit outside of all of them") {
  struct Row {
    std::string_view time;
    std::int64_t rate;
  };
  // 2026-11-16 is a Monday.
  for (const auto& row :
       {Row{"2026-11-16T06:59:59Z", 20 * mb}, Row{"2026-11-16T07:00:00Z", 5 * mb}, Row{"2026-11-16T16:59:59Z", 5 * mb},
        Row{"2026-11-16T17:00:00Z", 20 * mb}, Row{"2026-11-16T21:00:00Z", 50 * mb},
        Row{"2026-11-17T04:59:59Z", 50 * mb}, Row{"2026-11-17T05:00:00Z", 20 * mb},
        Row{"2026-11-20T21:00:00Z", 50 * mb}, Row{"2026-11-20T23:30:00Z", 50 * mb}, Row{"2026-11-21T05:00:00Z", 0},
        Row{"2026-11-22T22:59:59Z", 0}, Row{"2026-11-22T23:00:00Z", 20 * mb}}) {
    CAPTURE(row.time);
    CHECK(core::rate_at(office(), at(row.time)) == row.rate);
  }
  CHECK(core::rate_at({.bytes_a_second = 7}, at("2026-11-16T08:00:00Z")) == 7);
}

TEST_CASE("a limit is kept within three per cent over ten seconds, and no quarter of a second exceeds it by a fifth") {
  for (const std::int64_t rate : {1'000L, 64'000L, 1'000'000L, 20'000'000L, 300'000'000L}) {
    for (const auto late : {0ms, 5ms, 15ms}) {
      for (const int readers : {1, 4, 16}) {
        CAPTURE(rate);
        CAPTURE(late.count());
        CAPTURE(readers);
        const auto came = read_for(10s, rate, late, readers);
        std::int64_t all = 0, lately = 0, most = 0;
        std::size_t first = 0;
        for (const auto& [now, bytes] : came) {
          all += bytes;
          lately += bytes;
          while (now - came[first].first >= 250ms) lately -= came[first++].second;
          most = std::max(most, lately);
        }
        CHECK(all >= 10 * rate * 97 / 100);
        CHECK(all <= 10 * rate * 103 / 100);
        CHECK(most <= std::max<std::int64_t>(rate * 12 / 40, 2));
      }
    }
  }
}

TEST_CASE("what was not used is not saved up, and another limit begins with nothing") {
  Pace pace;
  CHECK(pace.ask(1'000'000, 1 << 20, Steady{1s}).bytes == 0);
  const auto granted = pace.ask(1'000'000, 1 << 20, Steady{1h}).bytes;
  CHECK(granted > 0);
  CHECK(granted <= 50'000);
  CHECK(pace.ask(100'000'000, 1 << 20, Steady{1h}).bytes == 0);
}

TEST_CASE("a clock that goes back grants nothing, and a limit of one byte a second is kept too") {
  Pace pace;
  CHECK(pace.ask(1000, 100, Steady{10s}).bytes == 0);
  CHECK(pace.ask(1000, 100, Steady{5s}).bytes == 0);
  CHECK(pace.ask(1000, 100, Steady{5s + 100ms}).bytes > 0);

  Pace slow;
  const auto first = slow.ask(1, 100, Steady{1s});
  CHECK(first.bytes == 0);
  CHECK(first.pause == 1000ms);
  CHECK(slow.ask(1, 100, Steady{2s}).bytes == 1);
  CHECK(slow.ask(1, 100, Steady{2s}).bytes == 0);
}

}  // namespace vtmirror::test
