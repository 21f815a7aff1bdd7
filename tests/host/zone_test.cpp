#include "vtmirror/host/host.hpp"

#include "host/variable.hpp"
#include "support/temporary_directory.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace vtmirror::host {
namespace {

using namespace std::chrono_literals;
using std::chrono::hours;
using std::chrono::minutes;

std::unique_ptr<core::Zone> zone_of(const std::string& name) {
  auto zone = load_zone(name);
  REQUIRE_MESSAGE(zone, name);
  return std::move(*zone);
}

base::Time at(std::string_view text) { return base::parse_time(text).value(); }
base::Date date(std::string_view text) { return base::parse_date(text).value(); }

std::string instant(const core::Zone& zone, std::string_view day, minutes since_midnight) {
  return base::iso8601(zone.instant(date(day), since_midnight));
}

/// The last Sunday of a month, on which Europe changes its clocks at 01:00 UTC.
base::Date last_sunday(int year, std::chrono::month month) {
  const auto last = std::chrono::year{year} / month / std::chrono::Sunday[std::chrono::last];
  return base::Date(std::chrono::sys_days(last));
}

const std::vector<int> years{1996, 2024, 2026, 2027, 2037, 2038, 2039, 2050, 2099, 2400};

TEST_CASE("eight in the morning in London is seven UTC in summer and eight in winter, in every year") {
  const auto london = zone_of("Europe/London");
  for (const int year : years) {
    CAPTURE(year);
    const auto spring = last_sunday(year, std::chrono::March);
    const auto autumn = last_sunday(year, std::chrono::October);
    const auto utc = [](base::Date day, hours hour) { return base::Time(std::chrono::sys_days(day)) + hour; };
    CHECK(london->instant(base::previous_day(spring), 8h) == utc(base::previous_day(spring), 8h));
    CHECK(london->instant(spring, 8h) == utc(spring, 7h));
    CHECK(london->instant(base::previous_day(autumn), 8h) == utc(base::previous_day(autumn), 7h));
    CHECK(london->instant(autumn, 8h) == utc(autumn, 8h));
  }
}

TEST_CASE("a local time that spring skips is the first instant after the gap") {
  const auto london = zone_of("Europe/London");
  for (const int year : years) {
    CAPTURE(year);
    const auto spring = last_sunday(year, std::chrono::March);
    const base::Time change = base::Time(std::chrono::sys_days(spring)) + 1h;
    CHECK(london->instant(spring, 59min) == change - 1min);
    for (const auto skipped : {60min, 61min, 90min, 119min}) CHECK(london->instant(spring, skipped) == change);
    CHECK(london->instant(spring, 120min) == change);
    CHECK(london->instant(spring, 121min) == change + 1min);
  }
}

TEST_CASE("a local time that autumn repeats is the first of the two") {
  const auto london = zone_of("Europe/London");
  for (const int year : years) {
    CAPTURE(year);
    const auto autumn = last_sunday(year, std::chrono::October);
    const base::Time change = base::Time(std::chrono::sys_days(autumn)) + 1h;
    CHECK(london->instant(autumn, 60min) == change - 1h);
    CHECK(london->instant(autumn, 90min) == change - 30min);
    CHECK(london->instant(autumn, 119min) == change - 1min);
    CHECK(london->instant(autumn, 120min) == change + 1h);
  }
}

TEST_CASE("the local day of an instant goes by the zone, on both sides of midnight") {
  const auto london = zone_of("Europe/London");
  CHECK(london->day_of(at("2026-07-01T22:59:59.999Z")) == date("2026-07-01"));
  CHECK(london->day_of(at("2026-07-01T23:00:00Z")) == date("2026-07-02"));
  CHECK(london->day_of(at("2026-12-01T23:59:59.999Z")) == date("2026-12-01"));
  CHECK(london->day_of(at("2060-07-01T23:00:00Z")) == date("2060-07-02"));
  CHECK(zone_of("America/New_York")->day_of(at("2026-07-02T03:59:59Z")) == date("2026-07-01"));
  CHECK(zone_of("Asia/Tokyo")->day_of(at("1969-12-31T23:59:59.5Z")) == date("1970-01-01"));
}

TEST_CASE("leap days are days like others") {
  const auto london = zone_of("Europe/London");
  for (const std::string year : {"2028", "2040", "2096", "2400"}) {
    CHECK(instant(*london, year + "-02-29", 8h) == year + "-02-29T08:00:00Z");
    CHECK(london->day_of(at(year + "-02-29T08:00:00Z")) == date(year + "-02-29"));
  }
  CHECK(london->day_of(at("2100-02-28T23:59:59Z") + 1s) == date("2100-03-01"));
}

TEST_CASE("a day that a place left out begins when the next one does") {
  const auto apia = zone_of("Pacific/Apia");
  CHECK(instant(*apia, "2011-12-29", 8h) == "2011-12-29T18:00:00Z");
  CHECK(instant(*apia, "2011-12-30", 8h) == "2011-12-30T10:00:00Z");
  CHECK(instant(*apia, "2011-12-31", 0h) == "2011-12-30T10:00:00Z");
  CHECK(instant(*apia, "2011-12-31", 8h) == "2011-12-30T18:00:00Z");
  CHECK(apia->day_of(at("2011-12-30T09:59:59Z")) == date("2011-12-29"));
  CHECK(apia->day_of(at("2011-12-30T10:00:00Z")) == date("2011-12-31"));
}

TEST_CASE("a change of half an hour is one") {
  const auto island = zone_of("Australia/Lord_Howe");
  for (const std::string year : {"2026", "2045"}) {
    CAPTURE(year);
    const auto spring = year == "2026" ? std::string("2026-10-04") : std::string("2045-10-01");
    const auto before = year == "2026" ? std::string("2026-10-03") : std::string("2045-09-30");
    CHECK(instant(*island, spring, 119min) == before + "T15:29:00Z");
    CHECK(instant(*island, spring, 120min) == before + "T15:30:00Z");
    CHECK(instant(*island, spring, 140min) == before + "T15:30:00Z");
    CHECK(instant(*island, spring, 150min) == before + "T15:30:00Z");
    CHECK(instant(*island, spring, 160min) == before + "T15:40:00Z");
  }
}

TEST_CASE("every day of a century has its eight o'clock on that very day, and each comes after the one before") {
  for (const std::string name : {"Europe/London", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu", "UTC"}) {
    CAPTURE(name);
    const auto zone = zone_of(name);
    base::Time last{};
    int wrong = 0;
    for (base::Date day = date("2026-01-01"); day < date("2126-01-01"); day = base::next_day(day)) {
      const auto eight = zone->instant(day, 8h);
      if (eight <= last || zone->day_of(eight) != day) ++wrong;
      last = eight;
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("the machine's own zone changes nothing") {
  const Variable other("TZ", "America/Los_Angeles");
  CHECK(instant(*zone_of("Europe/London"), "2026-07-01", 8h) == "2026-07-01T07:00:00Z");
}

TEST_CASE("new time zone data is read by the next load, also of a zone that was missing before") {
  const test::TemporaryDirectory directory;
  const Variable there("TZDIR", directory.string());
  const auto replace_by = [&directory](const std::string& zone) {
    test::write_file(directory / "new", test::read_file("/usr/share/zoneinfo/" + zone));
    std::filesystem::rename(directory / "new", directory / "Changing");
  };
  CHECK_FALSE(load_zone("Changing"));
  replace_by("Europe/London");
  const auto before = zone_of("Changing");
  CHECK(instant(*before, "2026-01-01", 8h) == "2026-01-01T08:00:00Z");
  replace_by("Asia/Tokyo");
  CHECK(instant(*zone_of("Changing"), "2026-01-01", 8h) == "2025-12-31T23:00:00Z");
  CHECK(instant(*zone_of("Changing"), "2026-01-01", 8h) == "2025-12-31T23:00:00Z");
  CHECK(instant(*before, "2026-01-01", 8h) == "2026-01-01T08:00:00Z");
  std::filesystem::remove(directory / "Changing");
  CHECK_FALSE(load_zone("Changing"));
}

TEST_CASE("a name that is not a time zone is a mistake in the settings that quotes it") {
  for (const std::string name :
       {"Europe/Lodnon", "", "/etc/passwd", "/usr/share/zoneinfo/Europe/London", "../zoneinfo/Europe/London", "Europe",
        "zone.tab", "Europe/London ", "file:/usr/share/zoneinfo/Europe/London", "libc:localtime"}) {
    CAPTURE(name);
    const auto zone = load_zone(name);
    REQUIRE_FALSE(zone);
    CHECK(zone.error().code == base::Errc::config);
    CHECK(zone.error().detail.find('"' + name + '"') != std::string::npos);
  }
}

TEST_CASE("a file of rules that can be read and not used is a mistake in the settings, whatever its beginning") {
  const test::TemporaryDirectory directory;
  const Variable there("TZDIR", directory.string());
  std::filesystem::create_directory(directory / "right");
  const auto london = test::read_file("/usr/share/zoneinfo/Europe/London");
  auto leaping = london;
  leaping.at(31) = 1;  // the number of leap seconds
  test::write_file(directory / "right/Leaping", leaping);
  test::write_file(directory / "Cut", london.substr(0, 100));
  test::write_file(directory / "Begun", "TZif");
  for (const std::string name : {"right/Leaping", "Cut", "Begun"}) {
    CAPTURE(name);
    const auto zone = load_zone(name);
    REQUIRE_FALSE(zone);
    CHECK(zone.error().code == base::Errc::config);
    CHECK(zone.error().detail.find("time zone \"" + name + "\" cannot be used: ") != std::string::npos);
  }
}

}  // namespace
}  // namespace vtmirror::host
