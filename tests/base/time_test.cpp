#include "vtmirror/base/time.hpp"

#include <doctest/doctest.h>

#include <random>

using namespace vtmirror::base;
using namespace std::chrono_literals;
using std::chrono::sys_days;

namespace {

Date day(int year, unsigned month, unsigned number) {
  return Date{std::chrono::year{year}, std::chrono::month{month}, std::chrono::day{number}};
}

const Time morning = Time{sys_days{day(2026, 11, 18)}} + 8h + 7min + 12s;

}  // namespace

TEST_CASE("a time is written in ISO 8601 without its fraction") {
  CHECK(iso8601(morning) == "2026-11-18T08:07:12Z");
  CHECK(iso8601(morning + 999ms) == "2026-11-18T08:07:12Z");
  CHECK(iso8601(Time{-1ms}) == "1969-12-31T23:59:59Z");
  CHECK(iso8601(day(26, 1, 2)) == "0026-01-02");
}

TEST_CASE("a time is read with and without a fraction") {
  CHECK(parse_time("2026-11-18T08:07:12Z").value() == morning);
  CHECK(parse_time("2026-11-18T08:07:12.5Z").value() == morning + 500ms);
  CHECK(parse_time("2026-11-18T08:07:12.123456789Z").value() == morning + 123ms);
  CHECK(parse_time("2024-02-29T00:00:00Z").value() == Time{sys_days{day(2024, 2, 29)}});
  CHECK(parse_time("2016-12-31T23:59:60Z").value() == Time{sys_days{day(2017, 1, 1)}});
}

TEST_CASE("a text that is not a UTC time is refused") {
  for (const auto* text :
       {"", "2026-11-18", "2026-11-18T08:07:12", "2026-11-18T08:07:12+00:00", "2026-11-18T08:07:12Z ",
        "2026-11-18T24:00:00Z", "2026-11-18T08:60:00Z", "2026-11-18T08:07:60Z", "2026-02-31T08:07:12Z",
        "2025-02-29T08:07:12Z", "2026-13-18T08:07:12Z", "2026-00-18T08:07:12Z", "2026-11-00T08:07:12Z",
        "26-11-18T08:07:12Z", "2026-11-18T08:07:12.Z", "2026-11-18T8:07:12Z", "2026-11-18t08:07:12z",
        "2026-11-18T08:07:-2Z", "x026-11-18T08:07:12Z"}) {
    CAPTURE(text);
    const auto time = parse_time(text);
    REQUIRE_FALSE(time);
    CHECK(time.error().code == Errc::protocol);
  }
}

TEST_CASE("a time that is written and read again is the same, from year 0 to year 9999") {
  std::mt19937_64 random{20261118};
  const auto first = Time{sys_days{day(0, 1, 1)}}.time_since_epoch() / 1s;
  const auto last = Time{sys_days{day(10'000, 1, 1)}}.time_since_epoch() / 1s - 1;
  std::uniform_int_distribution<std::int64_t> seconds{first, last};
  for (int i = 0; i < 20'000; ++i) {
    const Time time{std::chrono::seconds{seconds(random)}};
    const auto again = parse_time(iso8601(time));
    REQUIRE(again);
    REQUIRE(*again == time);
  }
  CHECK(parse_time(iso8601(Time{std::chrono::seconds{first}})).value() == Time{std::chrono::seconds{first}});
  CHECK(parse_time(iso8601(Time{std::chrono::seconds{last}})).value() == Time{std::chrono::seconds{last}});
}

TEST_CASE("a day that is written and read again is the same") {
  for (Date date = day(1999, 12, 1); date < day(2032, 3, 2); date = next_day(date)) {
    const auto again = parse_date(iso8601(date));
    REQUIRE(again);
    REQUIRE(*again == date);
  }
}

TEST_CASE("a day has its number and its month's short name") {
  CHECK(day_and_month(day(2026, 1, 1)) == "1 Jan");
  CHECK(day_and_month(day(2026, 11, 18)) == "18 Nov");
  CHECK(day_and_month(day(2026, 12, 31)) == "31 Dec");
}

TEST_CASE("a day that does not exist is refused") {
  for (const auto* text : {"2026-02-31", "2025-02-29", "2026-11-31", "2026-11-1", "2026-11-018", "18-11-2026",
                           "2026/11/18", "2026-11-18T", " 2026-11-18", "", "0000-00-00"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_date(text));
  }
  CHECK(parse_date("2024-02-29").value() == day(2024, 2, 29));
}

TEST_CASE("an HTTP date is read") {
  CHECK(parse_http_date("Wed, 18 Nov 2026 08:07:12 GMT").value() == morning);
  CHECK(parse_http_date("Mon, 18 Nov 2026 08:07:12 GMT").value() == morning);  // the weekday adds nothing
  for (const auto* text :
       {"", "Wed, 18 Nov 2026 08:07:12", "Wed, 18 Nov 2026 08:07:12 UTC", "Wed 18 Nov 2026 08:07:12 GMT",
        "Wed, 31 Feb 2026 08:07:12 GMT", "Wed, 18 ovD 2026 08:07:12 GMT", "Abc, 18 Nov 2026 08:07:12 GMT",
        "Wed, 18 Nov 2026 25:07:12 GMT", "Wed, 18 Nov 2026 08:07:12 GMT x", "1"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_http_date(text));
  }
}

TEST_CASE("days follow each other over months, years and leap days") {
  CHECK(next_day(day(2026, 12, 31)) == day(2027, 1, 1));
  CHECK(next_day(day(2024, 2, 28)) == day(2024, 2, 29));
  CHECK(previous_day(day(2026, 3, 1)) == day(2026, 2, 28));
  CHECK(days_between(day(2026, 11, 15), day(2026, 11, 18)) == 3);
  CHECK(days_between(day(2026, 11, 18), day(2026, 11, 15)) == -3);
  CHECK(days_between(day(2024, 1, 1), day(2025, 1, 1)) == 366);
}
