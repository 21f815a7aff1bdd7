#include "vtmirror/report/calendar.hpp"

#include <doctest/doctest.h>
#include <boost/json.hpp>

#include <cctype>
#include <chrono>
#include <set>
#include <sstream>
#include <string>
#include <string_view>

namespace vtmirror::report {
namespace {

using core::DayState;
using core::Kind;

base::Date day(unsigned number) { return {std::chrono::year(2026), std::chrono::November, std::chrono::day(number)}; }
base::Time at(int hour) { return std::chrono::sys_days(day(18)) + std::chrono::hours(hour); }

core::Day of(unsigned number, DayState state, int load = 0) {
  return {day(number), state, {{.kind = Kind::delta, .name = "d", .size = 3'000'000, .state = state, .load = load}}};
}

/// 9 to 18 November: a chain of the last four days before the awaited one, and something wrong before it.
DayCalendar fortnight() {
  DayCalendar calendar{.today = day(18), .from = day(14), .through = day(17)};
  calendar.days = {of(9, DayState::damaged),
                   of(10, DayState::removed),
                   of(11, DayState::lost),
                   of(12, DayState::refused),
                   {day(13), DayState::absent}};
  for (unsigned number = 14; number <= 17; ++number)
    calendar.days.push_back(of(number, DayState::held, static_cast<int>(number) - 13));
  calendar.days.push_back({day(18), DayState::late});
  return calendar;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

TEST_CASE("a week is a column and a weekday is a row, with capital letters for what is loaded") {
  const auto lines = lines_of(calendar_text(fortnight(), {}));
  REQUIRE(lines.size() > 8);
  CHECK(lines[0] == "Mon  xH");
  CHECK(lines[1] == "Tue  -H");
  CHECK(lines[2] == "Wed  gl");
  CHECK(lines[3] == "Thu  r");
  CHECK(lines[4] == "Fri  a");
  CHECK(lines[5] == "Sat  H");
  CHECK(lines[6] == "Sun  H");
}

TEST_CASE("every state of a day has a meaning and a letter of its own") {
  std::set<std::string_view> meanings;
  std::set<int> letters;
  for (const auto& kind : core::day_state_kinds) {
    meanings.insert(meaning_of(kind.state));
    letters.insert(std::toupper(static_cast<unsigned char>(letter_of(kind.state))));
    CHECK(meaning_of(kind.state).starts_with(core::name(kind.state)));
  }
  CHECK(meanings.size() == core::day_state_kinds.size());
  CHECK(letters.size() == core::day_state_kinds.size());
}

TEST_CASE("the legend counts the states that are shown, and no other") {
  const auto text = calendar_text(fortnight(), {});
  CHECK(text.find("  x     1  damaged or quarantined\n") != std::string::npos);
  CHECK(text.find("  h     4  held\n") != std::string::npos);
  CHECK(text.find("  l     1  late") != std::string::npos);
  CHECK(text.find("expected") == std::string::npos);
  CHECK(text.find("A capital letter marks a day to load.\n") != std::string::npos);
}

TEST_CASE("the newest days follow one by one, the whole chain among them") {
  const auto text = calendar_text(fortnight(), {});
  CHECK(text.find("Thu 12 Nov") != std::string::npos);
  CHECK(text.find("Wed 11 Nov") == std::string::npos);
  CHECK(text.find("Sat 14 Nov  held     load 1: delta 3.00 MB\n") != std::string::npos);
  CHECK(text.find("Wed 18 Nov  late\n") != std::string::npos);
}

TEST_CASE("a year fits into 80 columns, has its months above it, and less of it fits into less") {
  DayCalendar calendar{.today = day(18)};
  for (int back = days_of_a_year - 1; back >= 0; --back)
    calendar.days.push_back({std::chrono::sys_days(day(18)) - std::chrono::days(back), DayState::held});
  for (const std::size_t width : {std::size_t{80}, std::size_t{40}, std::size_t{20}}) {
    for (const auto& line : lines_of(calendar_text(calendar, {.width = width}))) {
      CAPTURE(line);
      if (width == 80) CHECK(line.size() <= width);
      if (line.starts_with("Mon")) CHECK(line.size() <= width);
    }
  }
  const auto lines = lines_of(calendar_text(calendar, {}));
  for (const auto* month : {"Dec", "Jan", "Jul", "Nov"}) CHECK(lines[0].find(month) != std::string::npos);
  CHECK(lines[1].size() == 5 + 53);
  // The column below "Nov" is the week that has the first of November, a Sunday.
  const auto column = lines[0].rfind("Nov");
  CHECK(lines[1].size() - column == 4);
}

TEST_CASE("colours are added to the letters, and change nothing else") {
  const auto plain = calendar_text(fortnight(), {});
  auto coloured = calendar_text(fortnight(), {.colour = true});
  CHECK(coloured != plain);
  for (auto escape = coloured.find('\x1b'); escape != std::string::npos; escape = coloured.find('\x1b'))
    coloured.erase(escape, coloured.find('m', escape) - escape + 1);
  CHECK(coloured == plain);
}

TEST_CASE("what a day is, its files do not say again") {
  const auto missing = of(18, DayState::missing);
  CHECK(day_sentence(missing) == "Wed 18 Nov: missing; delta 3.00 MB");
  auto both = missing;
  both.files.push_back(of(18, DayState::refused).files[0]);
  both.files[0].detail = "41% downloaded";
  CHECK(day_sentence(both) == "Wed 18 Nov: missing; delta 3.00 MB, 41% downloaded; delta 3.00 MB, refused");
}

TEST_CASE("a calendar without days says so") {
  CHECK(calendar_text({}, {}) == "No days to show: no cycle has received a listing yet; run `vtmirror sync`.\n");
  const auto json = boost::json::parse(calendar_json({.today = day(18)}));
  CHECK(json.at("days").as_array().empty());
  CHECK(json.at("from").is_null());
}

TEST_CASE("the catalogue's records give the days, with the reasons that coverage gives") {
  auto opened = catalogue::Catalogue::open(":memory:", catalogue::Access::read_write);
  REQUIRE(opened.has_value());
  core::Listing listing;
  listing.entries = {{Kind::bulk, "b15", 1'000, day(15), {}},
                     {Kind::delta, "d15", 100, day(15), {}},
                     {Kind::delta, "d16", 200, day(16), {}},
                     {Kind::delta, "d18", 300, day(18), {}}};
  REQUIRE(opened->keep_listing(listing, at(8)).has_value());
  REQUIRE(opened->publish({Kind::bulk, "b15", day(15), 1'000, "", "", at(9)}).has_value());
  REQUIRE(opened->publish({Kind::delta, "d15", day(15), 100, "", "", at(9)}).has_value());
  core::PartialRecord partial{.name = "d16", .kind = Kind::delta, .date = day(16), .size = 200};
  const std::vector<core::Range> ranges{{0, 50}};
  partial.durable = core::RangeSet(ranges);
  REQUIRE(opened->keep_partial(partial).has_value());
  REQUIRE(opened->keep_quarantined({"d18", 300, {.detail = "x.json.gz: checksum"}, at(11)}).has_value());

  const auto records = calendar_records(*opened, day(1));
  REQUIRE(records.has_value());
  const auto calendar = calendar_of(*records, {.today = day(18), .awaited = day(18)}, days_of_a_year);
  CHECK_FALSE(calendar.complete);
  CHECK(calendar.from == day(15));
  CHECK(calendar.through == day(15));
  REQUIRE(calendar.days.size() == 4);
  CHECK(day_sentence(calendar.days[0]) == "Sun 15 Nov: held; load 1: bulk 1.00 KB; load 2: delta 100 B");
  CHECK(day_sentence(calendar.days[1]) == "Mon 16 Nov: missing; delta 200 B, 25% downloaded");
  CHECK(day_sentence(calendar.days[2]) == "Tue 17 Nov: absent");
  CHECK(day_sentence(calendar.days[3]) == "Wed 18 Nov: damaged; delta 300 B, quarantined: x.json.gz: checksum");

  const auto json = boost::json::parse(calendar_json(calendar));
  CHECK(json.at("today").as_string() == "2026-11-18");
  CHECK(json.at("days").at(3) == boost::json::value{{"date", "2026-11-18"},
                                                    {"state", "damaged"},
                                                    {"files",
                                                     {{{"kind", "delta"},
                                                       {"name", "d18"},
                                                       {"size", 300},
                                                       {"state", "damaged"},
                                                       {"load", nullptr},
                                                       {"reason", "quarantined"},
                                                       {"detail", "quarantined: x.json.gz: checksum"}}}}});

  const auto running = calendar_of(*records, {.today = day(18), .downloading = {"d16"}}, days_of_a_year);
  CHECK(day_sentence(running.days[1]) == "Mon 16 Nov: downloading; delta 200 B");
}

}  // namespace
}  // namespace vtmirror::report
