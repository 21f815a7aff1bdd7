#include "vtmirror/web/page.hpp"

#include "web/files.hpp"
#include "web/markup.hpp"
#include "web/mornings.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <string>

namespace vtmirror::web {
namespace {

using core::DayState;

TEST_CASE("the page has every part, and no style, script or handler inside its markup") {
  const auto html = page_html(morning());
  CHECK_FALSE(has(html, "{{"));
  for (const auto* part : {"head", "problems", "transfers", "week", "year", "cycles", "figures", "consumers", "foot"})
    CHECK(has(html, "id=\"" + std::string(part) + "\""));
  CHECK(count(html, "<script") == 1);
  CHECK(has(html, "<script src=\"/script.js\" defer></script>"));
  for (const auto* never : {"style=\"", "<style", " onclick", " onload", "javascript:", "http://", "https://"})
    CHECK_FALSE(has(html, never));
}

TEST_CASE("names and messages of others are text, never markup") {
  const std::string evil = "v1/<script>alert('x')</script>\"onload=\"y&.zip";
  auto facts = morning();
  facts.status.version = evil;
  facts.status.mirror.directory = evil;
  facts.status.chain.missing = {evil};
  facts.status.problems = {{.code = evil, .message = evil, .advice = evil}};
  facts.status.consumers = {{.name = evil}};
  facts.status.last_cycle->error = evil;
  facts.status.state = core::State::syncing;
  facts.status.cycle =
      report::CycleStatus{.files = 1, .bytes = 10, .downloads = {{.name = evil, .size = 10, .received = 1}}};
  today(facts).files[0].name = evil;
  today(facts).files[0].state = today(facts).state = DayState::damaged;
  today(facts).files[0].detail = evil;
  const auto html = page_html(facts);
  CHECK(count(html, "<script") == 1);
  CHECK(count(html, "alert(") >= 8);
  CHECK(count(html, "&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;&quot;onload=&quot;y&amp;") >= 8);
  CHECK_FALSE(has(html, "\"onload="));
}

TEST_CASE("a verification that somebody asked for is shown with how far it is") {
  auto facts = morning();
  CHECK_FALSE(has(page_html(facts), "read again"));
  facts.status.verification = report::VerificationStatus{.files = 5, .done = 2, .bytes = 1000, .read = 300};
  CHECK(has(page_html(facts), "<p>Held files are read again, as was asked: 2 of 5 files, 30% of 1.00 KB.</p>"));
}

TEST_CASE("each day of the week says its state, its files and their places in the load order") {
  auto facts = morning();
  today(facts).state = today(facts).files[0].state = DayState::missing;
  today(facts).files[0].detail = "41% downloaded";
  const auto html = week_html(facts);
  CHECK(count(html, "<li class=\"card ") == 7);
  CHECK(has(html, "Thu 12 Nov"));
  CHECK(has(html, "<li class=\"card missing today\"><h3>Today, 18 Nov</h3>"));
  CHECK(has(html, "<span class=\"why\">41% downloaded</span>"));
  CHECK(has(html, "<span class=\"unseen\">load </span>5</b>"));
  CHECK(has(html, "<a href=\"/?day=2026-11-11\">Earlier week</a>"));
  CHECK_FALSE(has(html, "Later week"));
}

TEST_CASE("another week can be asked for, and its neighbours are linked") {
  auto facts = morning();
  facts.day = day(9);
  const auto html = week_html(facts);
  CHECK(has(html, "Thu 5 Nov"));
  CHECK(has(html, "Wed 11 Nov"));
  CHECK_FALSE(has(html, "Thu 12 Nov"));
  CHECK(has(html, "<a href=\"/?day=2026-11-04\">Earlier week</a>"));
  CHECK(has(html, "<a href=\"/?day=2026-11-18\">Later week</a>"));
  for (const auto other : {base::Date{std::chrono::year(1990), std::chrono::May, std::chrono::day(1)},
                           base::Date{std::chrono::year(2090), std::chrono::May, std::chrono::day(1)}}) {
    facts.day = other;
    CHECK(has(week_html(facts), "class=\"card "));
  }
}

TEST_CASE("every day of the year is a cell of its weekday's row, which says in words what it shows") {
  auto facts = morning();
  facts.calendar.days.clear();
  for (int back = report::days_of_a_year - 1; back >= 0; --back)
    facts.calendar.days.push_back({std::chrono::sys_days(day(18)) - std::chrono::days(back), DayState::removed});
  today(facts).state = DayState::absent;
  const auto html = year_html(facts);
  CHECK(count(html, "data-day=\"") == report::days_of_a_year);
  CHECK(count(html, "<th scope=\"row\">") == 7);
  CHECK(has(html, "<td class=\"absent today\" data-day=\"2026-11-18\"><i>Wed 18 Nov: absent</i></td>"));
  CHECK(has(html, "<span class=\"count\">1 </span>absent upstream"));
  CHECK(has(html, "<span class=\"count\">370 </span>removed by mirror.keep_cycles"));
  CHECK_FALSE(has(html, "to load</li>"));
  CHECK(has(year_html(morning()), "<span class=\"key held load\"></span> to load</li>"));
}

TEST_CASE("transfers show their numbers in words") {
  auto facts = morning();
  CHECK(transfers_html(facts).empty());
  facts.status.cycle = report::CycleStatus{.files = 2,
                                           .done = 1,
                                           .bytes = 2'000'000,
                                           .received = 1'000'000,
                                           .rate = 100'000,
                                           .eta = std::chrono::seconds(10),
                                           .downloads = {{.name = "v1/public/delta/year=2026/month=11/day=16/"
                                                                  "delta-light-vehicle_16-11-2026.zip",
                                                          .size = 1'000'000,
                                                          .received = 400'000,
                                                          .rate = 100'000,
                                                          .connections = 1}}};
  const auto html = transfers_html(facts);
  CHECK(has(html, "1 of 2 files, 1.00 MB of 2.00 MB, 100 KB/s, 10s left"));
  CHECK(has(html, "<th scope=\"row\">delta 16 Nov</th>"));
  CHECK(has(html, "<progress aria-label=\"delta 16 Nov\" max=\"1000000\" value=\"400000\">"));
  CHECK(has(html, "400 KB of 1.00 MB"));
  CHECK(has(html, "6s left"));
  CHECK(has(html, "1 connection<"));
}

TEST_CASE("cycles are drawn, and listed as a table, whatever they were like") {
  auto facts = morning();
  facts.cycles.push_back({.id = 2, .started = at(17, 8)});  // cut off
  facts.cycles.push_back(
      {.id = 3, .started = at(16, 8), .finished = at(16, 18), .outcome = core::Outcome::failed, .bytes = 0});
  const auto html = cycles_html(facts);
  CHECK(has(html, "1 of the last 3 cycles was complete; 1 failed (x), 1 was cut off (unfinished, !)."));
  CHECK(count(html, "<rect class=\"complete\"") == 2);  // how long, and how fast
  CHECK(has(html, "10h 00m"));
  CHECK(has(html, "unfinished"));
  CHECK(has(html, "250 KB/s"));
  facts.cycles.insert(facts.cycles.begin(), {.id = 4, .started = at(18, 9)});
  CHECK(has(cycles_html(facts), "of the last 4 cycles"));
  facts.status.cycle.emplace();
  CHECK(has(cycles_html(facts), "of the last 3 cycles"));
  facts.cycles.assign(200, facts.cycles.front());
  CHECK(count(cycles_html(facts), "<tr>") == plotted_cycles + 1);
  facts.cycles.clear();
  CHECK(cycles_html(facts) == "<p>No cycle has ended yet.</p>");
}

TEST_CASE("disk, secret and key show what is left of them") {
  auto facts = morning();
  core::Outlook outlook{.today = day(18), .free = 9'000, .reserve = 2'000};
  outlook.forecast = core::Forecast{.chain_bytes = 500, .chain_days = 7, .full_on = day(28), .soon = true};
  outlook.savings = {{2, 400}};
  facts.status.mirror.outlook = outlook;
  facts.status.secret.expires_on = day(28);
  facts.status.secret.days_left = 10;
  facts.status.secret.estimated = true;
  facts.status.api_key = {at(18, 8), at(18, 8) + std::chrono::days(90)};
  const auto html = figures_html(facts);
  CHECK(has(html, "<b class=\"figure trouble\">10 days</b>"));
  CHECK(has(html, "mirror.keep_cycles = 2 would free 400 B"));
  CHECK(has(html, "It expires on <time>2026-11-28</time>. That is an estimate: set credentials.secret_expires_on."));
  CHECK(has(html, "<b class=\"figure\">90 days</b>"));
  CHECK(has(html, "class=\"used\" x=\"0.00%\" width=\"10.00%\""));
  facts.status.mirror = {};
  facts.status.secret = {};
  facts.status.api_key = {};
  CHECK(has(figures_html(facts), "Its expiry is not known."));
  facts.status.problems.push_back(
      {.code = "secret_refused", .since = at(17, 9), .message = "the client secret is wrong"});
  CHECK(has(figures_html(facts), "<b class=\"figure trouble\">refused</b>"));
  CHECK_FALSE(has(figures_html(facts), "Its expiry is not known."));
}

TEST_CASE("problems come with advice, beginning and next try") {
  auto facts = morning();
  CHECK(problems_html(facts).empty());
  facts.status.problems = {{.code = "missing_files",
                            .since = at(18, 7),
                            .message = "delta 17 Nov is missing",
                            .advice = "no action needed",
                            .severity = core::Severity::error,
                            .next_try = at(18, 9)}};
  const auto html = problems_html(facts);
  CHECK(has(html, "1 problem</h2>"));
  CHECK(has(html, "<b>Error</b> <code>missing_files</code> delta 17 Nov is missing"));
  CHECK(has(html, "<p class=\"advice\">No action needed.</p>"));
  CHECK(has(html, ">today 07:00 UTC</time> (<time"));
  CHECK(has(html, "next try <time datetime=\"2026-11-18T09:00:00Z\" data-form=\"at\">today 09:00 UTC</time>"));
}

TEST_CASE("times are those of the machine's zone, if it is known") {
  auto facts = morning();
  facts.utc_offset = [](base::Time) { return std::chrono::hours(9); };
  CHECK(has(head_html(facts), "next cycle <time datetime=\"2026-11-19T08:00:00Z\" data-form=\"at\">tomorrow 17:00<"));
}

TEST_CASE("a mirror that has nothing yet has a page too") {
  PageFacts facts{.now = at(18, 8)};
  CHECK(has(page_html(facts), "<h1 class=\"wait\">Starting</h1>"));
  facts.status.state = core::State::idle;
  const auto html = page_html(facts);
  CHECK(has(html, "<h1 class=\"wait\">Nothing to load yet</h1>"));
  CHECK(has(html, "No cycle has received a listing yet"));
  CHECK(has(html, "No cycle has ended yet."));
}

TEST_CASE("the files are compiled in whole, and are small") {
  CHECK(find_file("/none") == nullptr);
  std::size_t bytes = page_template.size();
  for (const auto* path : {"/style.css", "/script.js", "/icon.svg"}) {
    const auto* const file = find_file(path);
    REQUIRE(file != nullptr);
    CHECK_FALSE(file->type.empty());
    CHECK(file->bytes.size() > 100);
    bytes += file->bytes.size();
  }
  CHECK(bytes < 60'000);
  CHECK(page_template.ends_with("</html>\n"));
  CHECK(find_file("/script.js")->bytes.ends_with("})();\n"));
  CHECK(find_file("/style.css")->bytes.ends_with("}\n"));
}

}  // namespace
}  // namespace vtmirror::web
