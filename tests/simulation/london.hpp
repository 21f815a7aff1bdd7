// London's local time by its own rule, as an oracle beside the zone database. Good from 1996 on.
#pragma once

#include "vtmirror/base/time.hpp"

#include <chrono>

namespace vtmirror::test {

/// 01:00 UTC on the last Sunday of a month, when the clocks change.
inline base::Time clock_change(std::chrono::year year, std::chrono::month month) {
  return std::chrono::sys_days(year / month / std::chrono::Sunday[std::chrono::last]) + std::chrono::hours(1);
}

inline base::Milliseconds london_offset(base::Time time) {
  const std::chrono::year_month_day date(std::chrono::floor<std::chrono::days>(time));
  const bool summer =
      time >= clock_change(date.year(), std::chrono::March) && time < clock_change(date.year(), std::chrono::October);
  return summer ? std::chrono::hours(1) : std::chrono::hours(0);
}

inline base::Date london_day(base::Time time) {
  return std::chrono::floor<std::chrono::days>(time + london_offset(time));
}

/// The instant of a local time that exists and comes once: not between 01:00 and 02:00 on the days of change.
inline base::Time london(base::Date day, base::Milliseconds since_midnight) {
  const base::Time local = std::chrono::sys_days(day) + since_midnight;
  return local - london_offset(local - london_offset(local));
}

}  // namespace vtmirror::test
