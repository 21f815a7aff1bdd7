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

struct Month {
  std::string name;
  int column = 0;
};

/// The words above the columns: without those that only a phone shows, or only a phone. A phone shows no old column.
std::vector<Month> months_of(const std::string& html, bool phone) {
  static const std::regex header("<th scope=\"colgroup\" class=\"([a-z]*)\" colspan=\"([0-9]+)\">([A-Za-z]*)");
  std::vector<Month> months;
  int column = 0;
  for (std::sregex_iterator at(html.begin(), html.end(), header), end; at != end; ++at) {
    if (phone && at->str(1) == "old") continue;
    if ((phone || at->str(1) != "again") && !at->str(3).empty()) months.push_back({at->str(3), column});
    column += std::stoi(at->str(2));
  }
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
      // A column of a phone is 8 pixels wide, and a name 22.
      const auto touches = [](const Month& each, const Month& next) {
        return each.name == next.name || next.column - each.column < 3;
      };
      CHECK(std::ranges::adjacent_find(months, touches) == months.end());
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
  CHECK(has(figures_html(facts), "Without further use the service revokes it on <time>2027-02-16</time>."));
}

TEST_CASE("advice is a sentence on the page, and a setting keeps its name") {
  auto facts = morning();
  const auto advised = [&](const std::string& advice) {
    facts.status.problems = {{.code = "low_space", .message = "full", .advice = advice}};
    return problems_html(facts);
  };
  CHECK(has(advised("make room on that disk"), "<p class=\"advice\">Make room on that disk.</p>"));
  CHECK(has(advised("mirror.reserve is too large."), "<p class=\"advice\">mirror.reserve is too large.</p>"));
}

TEST_CASE("a command in an advice is code that can be chosen as a whole, and never markup") {
  auto facts = morning();
  const auto advised = [&](const std::string& advice) {
    facts.status.problems = {{.code = "low_space", .message = "full", .advice = advice}};
    return problems_html(facts);
  };
  CHECK(
      has(advised("`vtmirror sync` tries again, see `a` & `b`"),
          "<p class=\"advice\"><code>vtmirror sync</code> tries again, see <code>a</code> &amp; <code>b</code>.</p>"));
  CHECK(has(advised("run `<b>` or `\"x"), "<p class=\"advice\">Run <code>&lt;b&gt;</code> or `&quot;x.</p>"));
  CHECK(has(advised("an empty `` stays"), "<p class=\"advice\">An empty `` stays.</p>"));
}

TEST_CASE("a file that waits for its turn is no alarm while a cycle brings it, and is one after the cycle") {
  auto facts = morning();
  today(facts).state = today(facts).files[0].state = DayState::missing;
  today(facts).files[0].reason = core::MissingReason::not_downloaded;
  facts.status.chain = {.complete = false, .through = day(17), .missing = {today(facts).files[0].name}};
  facts.status.cycle = report::CycleStatus{.files = 1, .bytes = 10};
  CHECK(has(week_html(facts), "<li class=\"card missing queued today\">"));
  CHECK(has(year_html(facts), "<td class=\"missing queued load today\""));
  CHECK(has(year_html(facts), "<span class=\"key missing queued\"></span>"));
  for (auto change : {+[](PageFacts& each) { each.status.cycle.reset(); },
                      +[](PageFacts& each) { today(each).files[0].reason = core::MissingReason::does_not_fit; },
                      +[](PageFacts& each) { each.calendar.days[16].state = DayState::damaged; }}) {
    auto other = facts;
    change(other);
    CHECK(has(week_html(other), "<li class=\"card missing today\">"));
    CHECK_FALSE(has(page_html(other), "queued"));
  }
  // One of an older chain does not come with this cycle.
  auto older = facts;
  older.calendar.days[0].state = older.calendar.days[0].files[0].state = DayState::missing;
  CHECK(has(year_html(older), "<td class=\"missing\" data-day=\"2026-11-01\">"));
  CHECK(has(year_html(older), "<span class=\"key missing\"></span>"));
}

TEST_CASE("of many missing files the page names some, and says how many others there are") {
  auto facts = morning();
  facts.status.chain.complete = false;
  facts.status.chain.missing.assign(12, "v1/evil.zip");
  CHECK(has(head_html(facts), "12 files missing: "));
  CHECK(count(head_html(facts), "evil.zip") == 12);
  facts.status.chain.missing.assign(3000, "v1/evil.zip");
  CHECK(has(head_html(facts), "3000 files missing: "));
  CHECK(has(head_html(facts), "evil.zip and 2989 more.</p>"));
  CHECK(count(head_html(facts), "evil.zip") == 11);
}

TEST_CASE("a date in a problem is one word, which a phone never breaks into two lines") {
  auto facts = morning();
  const auto said = [&](const std::string& message) {
    facts.status.problems = {{.code = "secret_expires", .message = message, .advice = message}};
    return problems_html(facts);
  };
  const auto html = said("it expires on 2026-12-02, not <2027-01-02>");
  CHECK(count(html, "xpires on <time>2026-12-02</time>, not &lt;<time>2027-01-02</time>&gt;") == 2);
  for (const auto* other :
       {"12026-12-02", "2026-12-021", "2026-13-02", "2026-12-0", "session-2026-12-02", "2026-12-02-3"})
    CHECK_FALSE(has(said(other), "<time>"));
}

TEST_CASE("errors stand before warnings, and what keeps every cycle from its end stands before all") {
  auto facts = morning();
  using core::Severity;
  facts.status.problems = {{.code = "late_delta"},
                           {.code = "missing_files", .severity = Severity::error},
                           {.code = "quarantined_file", .severity = Severity::error},
                           {.code = "secret_refused", .severity = Severity::error},
                           {.code = "disk_forecast"}};
  const auto html = problems_html(facts);
  std::vector<std::size_t> places;
  for (const auto* code : {"secret_refused", "missing_files", "quarantined_file", "late_delta", "disk_forecast"})
    places.push_back(html.find("<code>" + std::string(code)));
  CHECK(std::ranges::is_sorted(places));
}

TEST_CASE("what is away by no second is now, as in the status") {
  const auto facts = morning();
  const PageClock clock(facts);
  CHECK(clock.away(facts.now).find(">now<") != std::string::npos);
  CHECK(clock.away(facts.now + std::chrono::seconds(3)).find(">in 3s<") != std::string::npos);
  CHECK(clock.away(facts.now - std::chrono::minutes(3)).find(">3m ago<") != std::string::npos);
}

TEST_CASE("a printed page says of which day and time it is") {
  auto facts = morning();
  CHECK(has(page_html(facts), "<p id=\"printed\">As of <span id=\"moment\">Wed 18 Nov 2026, 08:30 UTC</span></p>"));
  facts.utc_offset = [](base::Time) { return std::chrono::hours(-9); };
  CHECK(has(page_html(facts), "<span id=\"moment\">Tue 17 Nov 2026, 23:30</span>"));
}

TEST_CASE("a cycle says what it achieved, also in less than a second, and what partial means") {
  auto facts = morning();
  auto& last = *facts.status.last_cycle;
  using core::Outcome;
  const auto said = [&](Outcome outcome, int files, std::int64_t bytes, int milliseconds) {
    last.outcome = outcome;
    last.files = files;
    last.bytes = bytes;
    last.finished = last.started + base::Milliseconds(milliseconds);
    return head_html(facts);
  };
  CHECK(has(said(Outcome::complete, 1, 300'000, 380), "</time>): 1 file, 300 KB in 0.4s.</p>"));
  CHECK(has(said(Outcome::complete, 0, 0, 20), "</time>): nothing new (0.1s).</p>"));
  const auto partial = said(Outcome::partial, 0, 1'240'000, 960);
  CHECK(has(partial, "<b class=\"trouble\">partial</b> (some listed files are missing) <time"));
  CHECK(has(partial, "</time>): no file published, 1.24 MB downloaded in 1s.</p>"));
  CHECK(has(said(Outcome::failed, 0, 0, 2'000), "</time>): nothing downloaded (2s).</p>"));
  facts.cycles = {{.started = at(18, 8), .finished = at(18, 8) + base::Milliseconds(380)}};
  CHECK(has(cycles_html(facts), "<td>0.4s</td>"));
}

TEST_CASE("the cycles that were not complete are counted by the marks that they have in the plots") {
  auto facts = morning();
  using core::Outcome;
  const auto cycle = facts.cycles.front();
  facts.cycles.assign(5, cycle);
  facts.cycles[1].outcome = Outcome::partial;
  facts.cycles[2].outcome = facts.cycles[3].outcome = Outcome::failed;
  facts.cycles[4].finished.reset();
  CHECK(has(cycles_html(facts),
            "1 of the last 5 cycles was complete; 1 left listed files missing (partial, !), 2 failed (x), "
            "1 was cut off (unfinished, !)."));
  facts.cycles.assign(1, cycle);
  facts.cycles[0].outcome = Outcome::partial;
  CHECK(has(cycles_html(facts), "The last cycle left listed files missing (partial, !)."));
}

TEST_CASE("the plots say from which day to which they reach") {
  auto facts = morning();
  CHECK(count(cycles_html(facts), ">18 Nov</text>") == 2);
  facts.cycles.assign(60, facts.cycles.front());
  facts.cycles.back().started = at(2, 8);
  const auto html = cycles_html(facts);
  CHECK(count(html, ">2 Nov</text>") == 2);
  CHECK(count(html, ">18 Nov</text>") == 2);
  CHECK(has(html, "<p>All of the last 60 cycles were complete.</p>"));
  facts.cycles.resize(2);
  facts.cycles.back().started = at(17, 8);
  CHECK(count(cycles_html(facts), ">17 Nov to 18 Nov</text>") == 2);
  facts.cycles.resize(1);
  CHECK(has(cycles_html(facts), "The last cycle was complete."));
}

}  // namespace
}  // namespace vtmirror::web
