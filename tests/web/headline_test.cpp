// The page's headline: what it says of the mirror as a whole.
#include "web/markup.hpp"
#include "web/mornings.hpp"

#include <doctest/doctest.h>

#include <string>

namespace vtmirror::web {
namespace {

using core::DayState;
using core::Kind;

std::string bulk_name(unsigned number) {
  const auto text = std::to_string(number);
  return "v1/public/bulk/year=2026/month=11/day=" + text + "/bulk-light-vehicle_" + text + "-11-2026.zip";
}

TEST_CASE("the first sentence says whether the data is here") {
  auto facts = morning();
  CHECK(headline_of(facts).words == "Complete through Wed 18 Nov");
  CHECK(headline_of(facts).tone == "ok");

  today(facts) = {day(18), DayState::expected};
  facts.status.chain.through = day(17);
  CHECK(headline_of(facts).words == "Complete through Tue 17 Nov; Wed 18 Nov is not listed yet");
  CHECK(headline_of(facts).tone == "wait");

  today(facts).state = DayState::late;
  CHECK(headline_of(facts).words == "Wed 18 Nov is late; complete through Tue 17 Nov");
  CHECK(headline_of(facts).tone == "bad");

  facts.status.chain.complete = false;
  CHECK(headline_of(facts).words == "Not complete: loads through Tue 17 Nov");

  // What a running cycle may still bring is no alarm.
  facts.status.cycle = report::CycleStatus{.files = 1};
  today(facts).state = DayState::downloading;
  CHECK(headline_of(facts).words == "Downloading; complete through Tue 17 Nov");
  CHECK(headline_of(facts).tone == "wait");
  facts.calendar.days[facts.calendar.days.size() - 2].state = DayState::damaged;
  CHECK(headline_of(facts).tone == "bad");

  facts.status.chain = {};
  CHECK(headline_of(facts).words == "Nothing to load yet");
  CHECK(headline_of(facts).tone == "wait");
  CHECK(has(page_html(facts), "<title>Nothing to load yet - vtmirror</title>"));
}

TEST_CASE("a day of which the service could not be asked is not called one that it does not list") {
  auto facts = morning();
  today(facts) = {day(18), DayState::expected};
  facts.status.chain.through = day(17);
  facts.calendar.listed_at = at(17, 9);
  facts.status.last_cycle->outcome = core::Outcome::failed;
  CHECK(headline_of(facts).words == "Complete through Tue 17 Nov; no listing since yesterday 09:00 UTC");
  CHECK(headline_of(facts).tone == "bad");
  // It was listed today, and the cycle failed later.
  facts.calendar.listed_at = at(18, 9);
  CHECK(headline_of(facts).words == "Complete through Tue 17 Nov; Wed 18 Nov is not listed yet");
  // And what runs now is not known to fail.
  facts.calendar.listed_at = at(17, 9);
  facts.status.cycle = report::CycleStatus{.files = 0};
  CHECK(headline_of(facts).tone == "wait");
}

TEST_CASE("what will not come with the running cycle is missing, and not to come") {
  auto facts = morning();
  facts.status.chain = {.complete = false, .through = day(17), .missing = {"v1/today"}};
  facts.status.cycle = report::CycleStatus{.files = 1};
  today(facts) = {
      day(18), DayState::downloading, {{.kind = Kind::delta, .name = "v1/today", .state = DayState::downloading}}};
  CHECK(headline_of(facts).tone == "wait");
  CHECK(has(head_html(facts), "To come: today."));
  // The entry of a name without a date was refused: it is in no day.
  facts.status.chain.missing.emplace_back("v1/../evil.zip");
  CHECK(headline_of(facts).words == "Not complete: loads through Tue 17 Nov");
  CHECK(headline_of(facts).tone == "bad");
  CHECK(has(head_html(facts), "2 files missing: today, evil.zip."));
}

TEST_CASE("what was not asked for in time is red, with the time of the last listing") {
  auto facts = morning();
  facts.now = at(25, 14);
  facts.calendar.today = day(25);
  facts.calendar.listed_at = at(18, 9);
  for (unsigned number = 19; number <= 24; ++number) facts.calendar.days.push_back({day(number), DayState::unknown});
  facts.calendar.days.push_back({day(25), DayState::expected});
  CHECK(headline_of(facts).words == "Complete through Wed 18 Nov; no listing since Wed 18 Nov 09:00 UTC");
  CHECK(headline_of(facts).tone == "bad");
  facts.calendar.listed_at.reset();
  CHECK(headline_of(facts).words == "Complete through Wed 18 Nov; no listing has been read since then");
  for (auto& each : facts.calendar.days)
    if (each.state == DayState::unknown) each.state = DayState::late;
  CHECK(headline_of(facts).words == "19 to 24 Nov are late; complete through Wed 18 Nov");
}

TEST_CASE("a mirror that has nothing to load says why, in red") {
  auto facts = morning();
  const auto name = bulk_name(15);
  facts.status.chain = {.complete = false, .missing = {name}};
  auto& file = facts.calendar.days[14].files.emplace_back(
      core::DayFile{.kind = Kind::bulk, .name = name, .state = DayState::lost, .reason = core::MissingReason::lost});
  CHECK(headline_of(facts).words == "Nothing can be loaded: bulk 15 Nov is lost from disk");
  CHECK(headline_of(facts).tone == "bad");
  file.state = DayState::missing;
  file.reason = core::MissingReason::not_downloaded;
  file.detail = "not downloaded yet: HTTP 403";
  CHECK(headline_of(facts).words == "Nothing can be loaded: bulk 15 Nov is not downloaded yet: HTTP 403");
  CHECK(has(page_html(facts), "<h1 class=\"bad\">Nothing can be loaded: "));

  // While it is on its way, it is no alarm.
  file.state = facts.calendar.days[14].state = DayState::downloading;
  facts.status.cycle = report::CycleStatus{.files = 1};
  CHECK(headline_of(facts).words == "Downloading; nothing to load yet");
  CHECK(headline_of(facts).tone == "wait");

  facts.status.cycle.reset();
  facts.status.chain = {};
  facts.status.last_cycle->outcome = core::Outcome::failed;
  CHECK(headline_of(facts).words == "Nothing can be loaded: the last cycle failed");
  CHECK(headline_of(facts).tone == "bad");
}

TEST_CASE("only a cycle that has files to download is downloading") {
  auto facts = morning();
  facts.status.chain = {.complete = false, .through = day(18)};
  facts.status.cycle.emplace();  // which requests the listing
  facts.calendar.listed_at.reset();
  CHECK(headline_of(facts).words == "Not complete: no listing was read yet; loads through Wed 18 Nov");
  CHECK(headline_of(facts).tone == "bad");
  facts.calendar.listed_at = at(18, 8);
  CHECK(headline_of(facts).words == "Not complete: loads through Wed 18 Nov");
  facts.status.cycle->files = 1;
  CHECK(headline_of(facts).words == "Downloading; complete through Wed 18 Nov");
}

TEST_CASE("a catalogue that cannot be read is said first, and nothing is called empty") {
  auto facts = morning();
  facts.unreadable = "disk I/O <error>";
  CHECK(headline_of(facts).words == "The catalogue cannot be read; last known: through Wed 18 Nov");
  CHECK(headline_of(facts).tone == "bad");
  facts.status.chain = {};
  facts.status.last_cycle.reset();
  facts.status.mirror = {.directory = "/srv/mirror"};
  facts.status.api_key = {};
  facts.calendar.days.clear();
  facts.cycles.clear();
  CHECK(headline_of(facts).words == "The catalogue cannot be read");
  const std::string why = "The catalogue cannot be read: disk I/O &lt;error&gt;";
  CHECK(has(week_html(facts), why));
  CHECK(has(cycles_html(facts), why));
  const auto html = page_html(facts);
  for (const auto* wrong : {"received a listing", "No cycle has", "0 files", "It has not been used yet"})
    CHECK_FALSE(has(html, wrong));
}

}  // namespace
}  // namespace vtmirror::web
