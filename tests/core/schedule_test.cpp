#include "vtmirror/core/schedule.hpp"

#include <doctest/doctest.h>

using namespace vtmirror;
using namespace std::chrono_literals;
using core::WakeReason;
using std::chrono::sys_days;

namespace {

/// Summer time between two instants, as a zone that needs no data.
class Summery : public core::Zone {
 public:
  base::Date day_of(base::Time time) const override {
    return base::Date(std::chrono::floor<std::chrono::days>(time + offset(time)));
  }
  base::Time instant(base::Date day, std::chrono::minutes since_midnight) const override {
    const base::Time wall = sys_days(day) + since_midnight;
    if (offset(wall - 1h) == 1h) return wall - 1h;
    return std::max(wall, wall < end ? std::min(begin, wall) : wall);
  }
  base::Time begin = sys_days(base::Date(std::chrono::year(2026) / 3 / 29)) + 1h;
  base::Time end = sys_days(base::Date(std::chrono::year(2026) / 10 / 25)) + 1h;

 private:
  base::Milliseconds offset(base::Time time) const { return time >= begin && time < end ? 1h : 0h; }
};

base::Time at(const char* text) { return base::parse_time(text).value(); }

const Summery zone;
const core::Schedule schedule{.splay = 0ms};

core::LastCycle cycle(const char* started, bool complete, bool todays, int failures = 0) {
  return {at(started), at(started) + 1min, complete, todays, failures};
}

core::NextWake next(const std::optional<core::LastCycle>& last, const char* now) {
  return core::next_wake(last, schedule, zone, at(now), 0);
}

}  // namespace

TEST_CASE("after a complete cycle with today's delta the next wake-up is tomorrow's") {
  CHECK(next(cycle("2026-11-18T08:00:00Z", true, true), "2026-11-18T08:02:00Z") ==
        core::NextWake{at("2026-11-19T08:00:00Z"), WakeReason::daily});
}

TEST_CASE("8am is local: an hour earlier in UTC while summer time is on, right across both changes") {
  CHECK(next(cycle("2026-03-28T08:00:00Z", true, true), "2026-03-28T09:00:00Z").at == at("2026-03-29T07:00:00Z"));
  CHECK(next(cycle("2026-10-24T07:00:00Z", true, true), "2026-10-24T09:00:00Z").at == at("2026-10-25T08:00:00Z"));
}

TEST_CASE("a wake-up that was missed is made up for at once, and before the day's time nothing is missed") {
  CHECK(next(cycle("2026-11-17T08:00:00Z", true, true), "2026-11-18T15:00:00Z") ==
        core::NextWake{at("2026-11-18T15:00:00Z"), WakeReason::missed});
  CHECK(next(cycle("2026-11-17T08:00:00Z", true, true), "2026-11-18T07:59:59Z") ==
        core::NextWake{at("2026-11-18T08:00:00Z"), WakeReason::daily});
  CHECK(next(std::nullopt, "2026-11-18T03:00:00Z").reason == WakeReason::missed);
}

TEST_CASE("until today's delta is listed, each retry lists again, until it is given up for the day") {
  CHECK(next(cycle("2026-11-18T08:00:00Z", true, false), "2026-11-18T08:01:30Z") ==
        core::NextWake{at("2026-11-18T08:11:00Z"), WakeReason::todays_files});
  CHECK(next(cycle("2026-11-18T13:55:00Z", true, false), "2026-11-18T13:57:00Z") ==
        core::NextWake{at("2026-11-19T08:00:00Z"), WakeReason::daily, true});
}

TEST_CASE("nothing is due before the time that the service asked for") {
  auto last = cycle("2026-11-18T08:00:00Z", false, false, 1);
  last.not_before = at("2026-11-18T12:00:00Z");
  CHECK(next(last, "2026-11-18T08:01:00Z") == core::NextWake{at("2026-11-18T12:00:00Z"), WakeReason::failure});
  CHECK(next(last, "2026-11-18T12:00:00Z") == core::NextWake{at("2026-11-18T12:00:00Z"), WakeReason::failure});
  // Beyond `give_up` it is tomorrow's, once that has come.
  last.not_before = at("2026-11-18T20:00:00Z");
  CHECK(next(last, "2026-11-18T08:01:00Z").at == at("2026-11-18T20:00:00Z"));
  CHECK(next(last, "2026-11-18T14:01:00Z") == core::NextWake{at("2026-11-19T08:00:00Z"), WakeReason::daily, true});
  last.not_before = at("2026-11-19T08:30:00Z");
  CHECK(next(last, "2026-11-18T14:01:00Z") == core::NextWake{at("2026-11-19T08:30:00Z"), WakeReason::daily, true});
  CHECK(next(last, "2026-11-19T08:10:00Z") == core::NextWake{at("2026-11-19T08:30:00Z"), WakeReason::missed});
  // Set back: the wish is of a time that has not come either.
  CHECK(next(last, "2026-11-17T09:00:00Z") == core::NextWake{at("2026-11-17T09:00:00Z"), WakeReason::missed});
}

TEST_CASE("pauses after failures grow to an hour") {
  const auto pause = [](int failures) {
    return next(cycle("2026-11-18T08:00:00Z", false, true, failures), "2026-11-18T08:01:00Z").at -
           at("2026-11-18T08:01:00Z");
  };
  CHECK(pause(1) == 10min);
  CHECK(pause(2) == 20min);
  CHECK(pause(3) == 40min);
  CHECK(pause(4) == 1h);
  CHECK(pause(400) == 1h);
}

TEST_CASE("a clock that was set back does not put the next wake-up off") {
  CHECK(next(cycle("2036-11-18T08:00:00Z", true, true), "2026-11-18T09:00:00Z") ==
        core::NextWake{at("2026-11-18T09:00:00Z"), WakeReason::missed});
}

TEST_CASE("the splay puts the day's wake-up off by its share") {
  auto splayed = schedule;
  splayed.splay = 5min;
  const auto last = cycle("2026-11-18T08:00:00Z", true, true);
  CHECK(core::next_wake(last, splayed, zone, at("2026-11-18T09:00:00Z"), 0.5).at == at("2026-11-19T08:02:30Z"));
  CHECK(core::next_wake(last, splayed, zone, at("2026-11-19T08:00:10Z"), 0.5).at == at("2026-11-19T08:02:30Z"));
}

TEST_CASE("every local day of ten years has one wake-up when all goes well, leap days and changes included") {
  std::optional<core::LastCycle> last;
  auto now = at("2020-01-01T12:00:00Z");
  auto day = core::day_served(schedule, zone, now);
  for (int n = 0; n < 3653; ++n) {
    const auto wake = core::next_wake(last, schedule, zone, now, 0);
    REQUIRE(wake.at >= now);
    now = wake.at;
    CHECK(core::day_served(schedule, zone, now) == day);
    day = base::next_day(day);
    last = core::LastCycle{now, now + 3min, true, true, 0};
    now += 5min;
  }
}
