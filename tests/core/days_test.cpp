#include "vtmirror/core/days.hpp"

#include "vtmirror/core/listing.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <string>
#include <vector>

namespace vtmirror::core {
namespace {

base::Date day(unsigned number) { return {std::chrono::year(2026), std::chrono::November, std::chrono::day(number)}; }

std::string name_of(Kind kind, unsigned number) {
  return std::string(kind == Kind::bulk ? "v1/bulk-" : "v1/delta-") + std::to_string(number) + ".zip";
}

ListedFile listed(Kind kind, unsigned number) {
  return {.kind = kind, .name = name_of(kind, number), .date = day(number), .size = 100, .listed = true};
}

/// A mirror of a few days; each member may be changed before it is asked.
struct Mirror {
  Calendar calendar{};
  std::vector<FileRecord> files{};
  std::vector<Obstacle> obstacles{};
  DayFacts facts{.today = day(18), .awaited = day(18)};

  ListedFile& list(Kind kind, unsigned number) { return calendar.files.emplace_back(listed(kind, number)); }
  void hold(Kind kind, unsigned number, Condition condition = Condition::whole) {
    list(kind, number);
    files.push_back({.kind = kind,
                     .name = name_of(kind, number),
                     .date = day(number),
                     .size = 100,
                     .sha256 = "",
                     .etag = "",
                     .since = 1,
                     .condition = condition});
  }
  std::vector<Day> days(int most = 400) const {
    const auto stock = stock_of(files);
    const auto now = with_stock(calendar, stock.held, stock.lost);
    return days_of(now, chain_of(now, stock.held, obstacles), files, facts, most);
  }
  DayState state(unsigned number) const {
    for (const auto& each : days())
      if (each.date == day(number)) return each.state;
    FAIL("no such day");
    return {};
  }
};

/// The bulk file and the deltas of the 15th to the 18th, all held.
Mirror week() {
  Mirror mirror;
  mirror.hold(Kind::bulk, 15);
  for (unsigned number = 15; number <= 18; ++number) mirror.hold(Kind::delta, number);
  return mirror;
}

TEST_CASE("every state has a name of its own") {
  std::set<std::string> names;
  for (std::size_t at = 0; at < day_state_kinds.size(); ++at) {
    const auto& kind = day_state_kinds.at(at);
    CHECK(&kind_of(kind.state) == &kind);
    names.emplace(kind.name);
  }
  CHECK(names.size() == day_state_kinds.size());
}

TEST_CASE("the days run from the first that is known to today, each held with its place in the chain") {
  const auto days = week().days();
  REQUIRE(days.size() == 4);
  for (const auto& each : days) CHECK(each.state == DayState::held);
  REQUIRE(days[0].files.size() == 2);
  CHECK(days[0].files[0].kind == Kind::bulk);
  CHECK(days[0].files[0].load == 1);
  CHECK(days[0].files[1].load == 2);
  CHECK(days[3].files[0].load == 5);
}

TEST_CASE("only the newest days are shown, as many as are asked for") {
  const auto days = week().days(2);
  REQUIRE(days.size() == 2);
  CHECK(days.front().date == day(17));
  CHECK(week().days(0).empty());
}

TEST_CASE("an empty mirror has no days but the one that it waits for") {
  Mirror mirror;
  REQUIRE(mirror.days().size() == 1);
  CHECK(mirror.state(18) == DayState::expected);
  mirror.facts.awaited.reset();
  CHECK(mirror.days().empty());
}

TEST_CASE("today is expected until its delta is listed, and late once the problem says so") {
  auto mirror = week();
  mirror.facts.today = mirror.facts.awaited.emplace(day(19));
  CHECK(mirror.state(19) == DayState::expected);
  mirror.facts.late = {day(19)};
  CHECK(mirror.state(19) == DayState::late);
  mirror.list(Kind::delta, 19);
  CHECK(mirror.state(19) == DayState::missing);
  mirror.facts.downloading = {name_of(Kind::delta, 19)};
  CHECK(mirror.state(19) == DayState::downloading);
}

TEST_CASE("a day without a delta is late once a listing was read after its tries, and unknown if none was") {
  auto mirror = week();
  mirror.facts.today = mirror.facts.awaited.emplace(day(25));
  for (const unsigned number : {19U, 22U, 24U}) CHECK(mirror.state(number) == DayState::unknown);
  CHECK(mirror.state(25) == DayState::expected);
  mirror.facts.settled = day(22);
  CHECK(mirror.state(18) == DayState::held);
  for (const unsigned number : {19U, 22U}) CHECK(mirror.state(number) == DayState::late);
  CHECK(mirror.state(23) == DayState::unknown);
  CHECK(mirror.state(25) == DayState::expected);
  // Each day stays late, not only the one of which the problem speaks.
  mirror.facts.late = {day(19)};
  mirror.facts.settled = day(25);
  for (const unsigned number : {19U, 24U, 25U}) CHECK(mirror.state(number) == DayState::late);
  // The day after is not asked for yet.
  mirror.facts.today = day(26);
  CHECK(mirror.state(26) == DayState::expected);
}

TEST_CASE("a day before a later bulk file is not late: that file has its data") {
  auto mirror = week();
  mirror.facts.today = mirror.facts.awaited.emplace(day(23));
  mirror.facts.settled = day(23);
  mirror.list(Kind::bulk, 22);
  CHECK(mirror.state(20) == DayState::unknown);
  // Of the awaited day the problem speaks first: its tries may have begun late.
  CHECK(mirror.state(23) == DayState::expected);
}

TEST_CASE("days after the newest listing are expected, and unknown once a later day is listed") {
  auto mirror = week();
  mirror.facts.today = day(21);
  CHECK(mirror.state(19) == DayState::expected);
  CHECK(mirror.state(21) == DayState::expected);
  mirror.hold(Kind::delta, 20);
  CHECK(mirror.state(19) == DayState::unknown);
  CHECK(mirror.state(21) == DayState::expected);
}

TEST_CASE("absent, refused and uncovered days are different states") {
  Mirror mirror;
  mirror.hold(Kind::bulk, 10);
  mirror.hold(Kind::delta, 10);
  mirror.calendar.absent = {day(11)};
  mirror.list(Kind::delta, 12).refused = "its size is no number";
  mirror.hold(Kind::delta, 14);
  CHECK(mirror.state(11) == DayState::absent);
  CHECK(mirror.state(12) == DayState::refused);
  CHECK(mirror.state(13) == DayState::unknown);
  CHECK(mirror.days().back().date == day(18));
}

TEST_CASE("an entry that was listed before its day, and no more, says nothing about its day") {
  auto mirror = week();
  mirror.hold(Kind::delta, 20);
  mirror.facts = {.today = day(20), .awaited = day(20)};
  mirror.calendar.absent = {day(19)};
  auto& early = mirror.list(Kind::delta, 19);
  early.size = 0;
  early.refused = still_to_come(day(19));
  early.failed = {EntryCheck::to_come, "fileCreatedOn"};
  CHECK(mirror.state(19) == DayState::refused);
  early.listed = false;
  CHECK(mirror.state(19) == DayState::absent);
}

TEST_CASE("a refused entry says nothing about a day that another entry has") {
  auto mirror = week();
  auto& twin = mirror.list(Kind::delta, 17);
  twin.name += ".twin";
  twin.size = 0;
  twin.refused = "its size is no number";
  CHECK(mirror.state(17) == DayState::held);
}

TEST_CASE("what a file lacks is what its day shows: the worst of its files") {
  for (const auto& each :
       {std::pair{MissingReason::quarantined, DayState::damaged}, std::pair{MissingReason::damaged, DayState::damaged},
        std::pair{MissingReason::lost, DayState::lost}, std::pair{MissingReason::refused, DayState::refused},
        std::pair{MissingReason::not_downloaded, DayState::missing},
        std::pair{MissingReason::does_not_fit, DayState::missing}}) {
    const auto [reason, state] = each;
    CAPTURE(name(each.first));
    auto mirror = week();
    mirror.facts.today = mirror.facts.awaited.emplace(day(19));
    mirror.list(Kind::delta, 19);
    mirror.hold(Kind::delta, 20);  // of the same day as a bulk file that is not there
    mirror.list(Kind::bulk, 20);
    mirror.obstacles = {{name_of(Kind::delta, 19), reason}, {name_of(Kind::bulk, 20), reason}};
    CHECK(mirror.state(19) == state);
    CHECK(mirror.state(20) == state);
  }
}

TEST_CASE("a published file that is damaged on disk or gone is shown so, whatever the chain asks for") {
  auto mirror = week();
  mirror.hold(Kind::delta, 1, Condition::damaged);
  mirror.hold(Kind::delta, 2, Condition::lost);
  for (auto& file : mirror.calendar.files) file.listed = file.date >= day(15);
  CHECK(mirror.state(1) == DayState::damaged);
  CHECK(mirror.state(2) == DayState::lost);
}

TEST_CASE("days of older chains are removed by retention, or remain what they were") {
  auto mirror = week();
  for (unsigned number = 1; number <= 3; ++number) mirror.list(Kind::delta, number).listed = false;
  auto& files = mirror.calendar.files;
  files[files.size() - 3].standing = Standing::held;
  files[files.size() - 2].standing = Standing::gap;
  files[files.size() - 1].standing = Standing::refused;
  CHECK(mirror.state(1) == DayState::removed);
  CHECK(mirror.state(2) == DayState::missing);
  CHECK(mirror.state(3) == DayState::refused);
}

TEST_CASE("a date that is a mistake does not stretch the calendar") {
  auto mirror = week();
  mirror.calendar.files.push_back(listed(Kind::delta, 18));
  mirror.calendar.files.back().name = "v1/delta-2099.zip";
  mirror.calendar.files.back().date = {std::chrono::year(2099), std::chrono::May, std::chrono::day(1)};
  const auto days = mirror.days();
  CHECK(days.back().date == day(25));
  CHECK(days.size() == 11);
}

TEST_CASE("the days of each state are counted, the worst first") {
  auto mirror = week();
  mirror.facts.today = mirror.facts.awaited.emplace(day(20));
  mirror.facts.late = {day(19)};
  const auto counts = count_of(mirror.days());
  REQUIRE(counts.size() == 3);
  CHECK(counts[0].state == DayState::late);
  CHECK(counts[1].state == DayState::expected);
  CHECK(counts[2].state == DayState::held);
  CHECK(counts[2].days == 4);
}

}  // namespace
}  // namespace vtmirror::core
