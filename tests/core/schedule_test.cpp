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

/// The same, of a day whose first try was then.
core::LastCycle cycle_after(const char* first, const char* started, bool complete, bool todays) {
  auto last = cycle(started, complete, todays, complete ? 0 : 1);
  last.tries = {.first = at(first), .spent = 1min};
  return last;
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
  CHECK(next(cycle_after("2026-11-18T08:00:00Z", "2026-11-18T13:55:00Z", true, false), "2026-11-18T13:57:00Z") ==
        core::NextWake{at("2026-11-19T08:00:00Z"), WakeReason::daily, true});
}

TEST_CASE("giving up counts from the day's first try, not from the day's time") {
  const auto late = [](bool complete) {
    return next(cycle_after("2026-11-18T15:00:00Z", "2026-11-18T15:00:00Z", complete, false), "2026-11-18T15:01:00Z");
  };
  CHECK(late(false) == core::NextWake{at("2026-11-18T15:11:00Z"), WakeReason::failure});
  CHECK(late(true) == core::NextWake{at("2026-11-18T15:11:00Z"), WakeReason::todays_files});
  CHECK(next(cycle_after("2026-11-18T15:00:00Z", "2026-11-18T20:55:00Z", true, false), "2026-11-18T20:57:00Z") ==
        core::NextWake{at("2026-11-19T08:00:00Z"), WakeReason::daily, true});
}

TEST_CASE("a download of more than the time for tries that fails is tried again, and then for that time") {
  auto last = cycle("2026-11-18T08:00:00Z", false, true, 1);
  last.finished = at("2026-11-18T17:00:00Z");
  last.tries = {.first = last.started, .spent = 9h};
  CHECK(next(last, "2026-11-18T17:00:00Z") == core::NextWake{at("2026-11-18T17:10:00Z"), WakeReason::failure});
  last.started = at("2026-11-18T22:55:00Z");
  last.finished = last.started + 1min;
  last.tries.spent = 9h + 1min;
  CHECK(next(last, "2026-11-18T22:57:00Z") == core::NextWake{at("2026-11-19T08:00:00Z"), WakeReason::daily, true});
  // The listing was asked for while it ran.
  last.complete = true;
  last.todays_listed = false;
  last.started = at("2026-11-18T08:00:00Z");
  last.finished = at("2026-11-18T17:00:00Z");
  CHECK(next(last, "2026-11-18T17:00:00Z").gave_up);
}

TEST_CASE("what was tried with other settings is tried again at once, once the service may be asked") {
  const core::TriedWith before{"one", "https://api.example"};
  auto last = cycle_after("2026-11-18T08:00:00Z", "2026-11-18T13:58:00Z", false, false);
  last.refused = true;
  last.with = before;
  const auto now = at("2026-11-18T14:30:00Z");
  const auto wake = [&](const core::TriedWith& with) {
    return core::next_wake(core::seen_with(last, with), schedule, zone, now, 0);
  };
  CHECK(wake(before).gave_up);
  CHECK(wake({}).gave_up);
  CHECK(wake({"two", before.service}) == core::NextWake{now, WakeReason::corrected});
  last.not_before = core::not_before(last.finished, 2h);
  CHECK(wake({"two", before.service}) == core::NextWake{at("2026-11-18T15:59:00Z"), WakeReason::corrected});
  CHECK(wake({"two", "https://other.example"}) == core::NextWake{now, WakeReason::corrected});
  last.complete = last.todays_listed = true;
  CHECK(wake({"two", "https://other.example"}).reason == WakeReason::daily);
  CHECK(core::not_before(now, std::nullopt) == now);
  CHECK(core::not_before(now, std::chrono::hours(24 * 366)) == now + 24h);
}

TEST_CASE("of a wait is left what the clock with less left has left") {
  const auto now = at("2026-11-18T08:00:00Z");
  const base::Steady steady{5h};
  const core::EndOfWait end{now + 1h, steady + 1h};
  CHECK(core::left_of(end, now, steady) == 1h);
  CHECK(core::left_of(end, now + 20min, steady + 20min) == 40min);
  CHECK(core::left_of(end, now - 3h, steady + 20min) == 40min);     // the time was set back
  CHECK(core::left_of(end, now + 50min, steady + 20min) == 10min);  // suspended for half an hour
  CHECK(core::left_of(end, now + 2h, steady + 20min) == 0h);
  CHECK(core::left_of(end, now - 3h, steady + 2h) == 0h);
  CHECK(core::left_of({}, now, steady) == 0h);
}

TEST_CASE("nothing is due before the time that the service asked for") {
  auto last = cycle("2026-11-18T08:00:00Z", false, false, 1);
  last.not_before = at("2026-11-18T12:00:00Z");
  CHECK(next(last, "2026-11-18T08:01:00Z") == core::NextWake{at("2026-11-18T12:00:00Z"), WakeReason::failure});
  CHECK(next(last, "2026-11-18T12:00:00Z") == core::NextWake{at("2026-11-18T12:00:00Z"), WakeReason::failure});
  // Beyond `give_up`, to which the minute of that cycle does not count, it is tomorrow's, once that has come.
  last.not_before = at("2026-11-18T20:00:00Z");
  CHECK(next(last, "2026-11-18T08:01:00Z").at == at("2026-11-18T20:00:00Z"));
  CHECK(next(last, "2026-11-18T14:02:00Z") == core::NextWake{at("2026-11-19T08:00:00Z"), WakeReason::daily, true});
  last.not_before = at("2026-11-19T08:30:00Z");
  CHECK(next(last, "2026-11-18T14:02:00Z") == core::NextWake{at("2026-11-19T08:30:00Z"), WakeReason::daily, true});
  CHECK(next(last, "2026-11-19T08:10:00Z") == core::NextWake{at("2026-11-19T08:30:00Z"), WakeReason::missed});
  // Set back: the wish is of a time that has not come either.
  CHECK(next(last, "2026-11-17T09:00:00Z") == core::NextWake{at("2026-11-17T09:00:00Z"), WakeReason::missed});
}

TEST_CASE("a listing while a cycle runs is a try of its day: until the delta is listed, and from the next day's time") {
  const auto listed = [](const core::LastCycle& before, const char* when, bool succeeded) {
    return core::listing_as_try(before, at(when), succeeded, schedule, zone);
  };
  const auto first = listed({}, "2026-11-18T08:01:00Z", true);
  CHECK(next(first, "2026-11-18T08:01:00Z").at == at("2026-11-18T08:11:00Z"));
  auto second = listed(first, "2026-11-18T08:11:00Z", false);
  second = listed(second, "2026-11-18T08:21:00Z", false);
  CHECK(next(second, "2026-11-18T08:21:00Z").at == at("2026-11-18T08:41:00Z"));
  auto third = listed(second, "2026-11-18T13:55:00Z", true);
  CHECK(third.failures == 0);
  CHECK(next(third, "2026-11-18T13:55:00Z").gave_up);
  third.todays_listed = true;
  CHECK(next(third, "2026-11-18T13:55:00Z") == core::NextWake{at("2026-11-19T08:00:00Z"), WakeReason::daily});
  const auto next_day = listed(third, "2026-11-19T08:00:00Z", true);
  CHECK(next(next_day, "2026-11-19T08:00:00Z").at == at("2026-11-19T08:10:00Z"));
  CHECK(next(next_day, "2026-11-19T13:59:00Z").at == at("2026-11-19T13:59:00Z"));
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

TEST_CASE("a mirror is stale when the tries end in which the service should have answered again") {
  const auto stale = [](const char* checked, bool todays_listed) {
    return core::stale_after(at(checked), todays_listed, schedule, zone);
  };
  CHECK(stale("2026-11-18T08:07:15Z", true) == at("2026-11-19T14:00:00Z"));
  CHECK(stale("2026-11-18T08:07:15Z", false) == at("2026-11-18T14:00:00Z"));
  CHECK(stale("2026-11-18T13:50:00Z", false) == at("2026-11-18T14:00:00Z"));
  CHECK(stale("2026-11-18T13:50:01Z", false) == at("2026-11-19T14:00:00Z"));
  CHECK(stale("2026-11-18T07:59:00Z", true) == at("2026-11-18T14:00:00Z"));
  CHECK(stale("2026-10-24T07:10:00Z", true) == at("2026-10-25T14:00:00Z"));
}
