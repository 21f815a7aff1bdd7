// Parts of the page where a year, a full disk or a phrase goes wrong easily.
#include "web/markup.hpp"
#include "web/mornings.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <regex>
#include <string>
#include <vector>

namespace vtmirror::web {
namespace {

using core::DayState;

PageFacts year_before(base::Date today) {
  auto facts = morning();
  facts.calendar.today = today;
  facts.calendar.days.clear();
  for (int back = report::days_of_a_year - 1; back >= 0; --back)
    facts.calendar.days.push_back({std::chrono::sys_days(today) - std::chrono::days(back), DayState::held});
  return facts;
}

/// The words above the columns: without those that only a phone shows, or only a phone.
std::vector<std::string> months_of(const std::string& html, bool phone) {
  static const std::regex header("<th scope=\"colgroup\" class=\"([a-z]*)\" colspan=\"[0-9]+\">([A-Za-z]*)");
  std::vector<std::string> months;
  for (std::sregex_iterator at(html.begin(), html.end(), header), end; at != end; ++at)
    if (at->str(1) != (phone ? "old" : "again") && !at->str(2).empty()) months.push_back(at->str(2));
  return months;
}

TEST_CASE("each month stands above the year once, on every day of a year, on a desktop and on a phone") {
  const std::chrono::sys_days first(day(1));
  for (int days = 0; days < report::days_of_a_year; ++days) {
    const base::Date today = first + std::chrono::days(days);
    CAPTURE(base::iso8601(today));
    const auto html = year_html(year_before(today));
    for (const bool phone : {false, true}) {
      const auto months = months_of(html, phone);
      CHECK(months.size() >= (phone ? 5 : 11));
      CHECK(std::ranges::adjacent_find(months) == months.end());
    }
  }
}

TEST_CASE("the days of another year say which") {
  auto facts = year_before({std::chrono::year(2026), std::chrono::January, std::chrono::day(3)});
  CHECK(has(week_html(facts), "<h3>Wed 31 Dec 2025</h3>"));
  CHECK(has(week_html(facts), "<h3>Fri 2 Jan</h3>"));
}

TEST_CASE("a disk with less than its reserve is red, and no number of days hides it") {
  auto facts = morning();
  core::Outlook outlook{.today = day(18), .free = 9'000, .reserve = 20'000};
  outlook.forecast = core::Forecast{.chain_bytes = 500, .chain_days = 7};
  facts.status.mirror.outlook = outlook;
  const auto html = figures_html(facts);
  CHECK(has(html, "<dt>Disk</dt><dd><b class=\"figure trouble\">below its reserve</b>"));
  facts.status.mirror.free = 0;
  CHECK(has(figures_html(facts), "<b class=\"figure trouble\">full</b>"));
  facts.status.mirror.free = 30'000;
  facts.status.mirror.outlook->free = 30'000;
  CHECK(has(figures_html(facts), "<dt>Disk lasts</dt><dd><b class=\"figure\">more than 5 years</b>"));
  facts.status.mirror.outlook->forecast.reset();
  CHECK(has(figures_html(facts), "<dt>Disk</dt><dd><span>5 files"));
}

TEST_CASE("the key's line says on which day the service revokes it") {
  auto facts = morning();
  facts.status.api_key = {at(18, 8), at(18, 8) + std::chrono::days(90)};
  CHECK(has(figures_html(facts), "Without further use the service revokes it on 2027-02-16."));
}

TEST_CASE("advice is a sentence on the page, and a setting keeps its name") {
  auto facts = morning();
  const auto advised = [&](const std::string& advice) {
    facts.status.problems = {{.code = "low_space", .message = "full", .advice = advice}};
    return problems_html(facts);
  };
  CHECK(has(advised("make room on that disk"), "<p class=\"advice\">Make room on that disk.</p>"));
  CHECK(has(advised("mirror.reserve is too large."), "<p class=\"advice\">mirror.reserve is too large.</p>"));
  CHECK(has(advised("`vtmirror sync` tries again"), "<p class=\"advice\">`vtmirror sync` tries again.</p>"));
}

TEST_CASE("the plots say from which day to which they reach") {
  auto facts = morning();
  CHECK(count(cycles_html(facts), ">18 Nov</text>") == 2);
  facts.cycles.assign(60, facts.cycles.front());
  facts.cycles.back().started = at(2, 8);
  const auto html = cycles_html(facts);
  CHECK(count(html, ">2 Nov</text>") == 2);
  CHECK(count(html, ">18 Nov</text>") == 2);
  CHECK(has(html, "60 of the last 60 cycles were complete."));
  facts.cycles.resize(2);
  facts.cycles.back().started = at(17, 8);
  CHECK(count(cycles_html(facts), ">17 Nov to 18 Nov</text>") == 2);
  facts.cycles.resize(1);
  CHECK(has(cycles_html(facts), "The last cycle was complete."));
}

}  // namespace
}  // namespace vtmirror::web
