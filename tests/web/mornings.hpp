// A mirror as the status page meets it on a morning: whole, with all its parts, for a test to change.
#pragma once

#include "vtmirror/web/page.hpp"

#include <chrono>
#include <string>
#include <string_view>

namespace vtmirror::web {

inline base::Date day(unsigned number) {
  return {std::chrono::year(2026), std::chrono::November, std::chrono::day(number)};
}
inline base::Time at(unsigned number, int hour) {
  return std::chrono::sys_days(day(number)) + std::chrono::hours(hour);
}

inline bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

inline std::size_t count(const std::string& text, std::string_view part) {
  std::size_t found = 0;
  for (auto place = text.find(part); place != std::string::npos; place = text.find(part, place + part.size())) ++found;
  return found;
}

/// A whole week at half past eight on its last day.
inline PageFacts morning() {
  PageFacts facts;
  facts.now = at(18, 8) + std::chrono::minutes(30);
  facts.status.version = "1.0.0";
  facts.status.state = core::State::idle;
  facts.status.next_wake = at(19, 8);
  facts.status.chain = {.complete = true, .through = day(18)};
  facts.status.mirror = {.directory = "/var/lib/vtmirror/mirror", .files = 5, .bytes = 1'000, .free = 9'000};
  facts.status.last_cycle = report::LastCycleStatus{
      .started = at(18, 8), .finished = at(18, 8), .outcome = core::Outcome::complete, .files = 1};
  facts.calendar = {.today = day(18), .complete = true, .from = day(15), .through = day(18), .listed_at = at(18, 8)};
  for (unsigned number = 1; number <= 18; ++number)
    facts.calendar.days.push_back({day(number),
                                   core::DayState::held,
                                   {{.kind = core::Kind::delta,
                                     .name = "v1/delta",
                                     .size = 3'000'000,
                                     .state = core::DayState::held,
                                     .load = number < 15 ? 0 : static_cast<int>(number) - 13}}});
  facts.cycles = {{.id = 1,
                   .started = at(18, 8),
                   .finished = at(18, 8) + std::chrono::seconds(12),
                   .outcome = core::Outcome::complete,
                   .files = 1,
                   .bytes = 3'000'000}};
  return facts;
}

inline core::Day& today(PageFacts& facts) { return facts.calendar.days.back(); }

}  // namespace vtmirror::web
