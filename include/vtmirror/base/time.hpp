// Points in time, days, and their string forms. Pure: no clock is read here.
#pragma once

#include "vtmirror/base/result.hpp"

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace vtmirror::base {

using Milliseconds = std::chrono::milliseconds;

/// Wall-clock time, UTC.
using Time = std::chrono::sys_time<Milliseconds>;

/// A calendar day, without a zone.
using Date = std::chrono::year_month_day;

/// Monotonic time since an arbitrary start; for deadlines and rates, never stored.
struct Steady {
  Milliseconds since{};
  friend auto operator<=>(const Steady&, const Steady&) = default;
  friend Steady operator+(Steady at, Milliseconds d) { return {at.since + d}; }
  friend Milliseconds operator-(Steady a, Steady b) { return a.since - b.since; }
};

/// "2026-11-18T08:07:12Z"; fractions of a second are cut.
std::string iso8601(Time time);
/// "2026-11-18"
std::string iso8601(Date date);
/// "18 Nov". The date must be one that exists.
std::string day_and_month(Date date);

/// "2026-11-18T08:07:12Z", with fractions allowed. Only UTC ("Z") is accepted. Errors: protocol.
Result<Time> parse_time(std::string_view text);
/// "2026-11-18"; the day must exist. Errors: protocol.
Result<Date> parse_date(std::string_view text);
/// "Wed, 18 Nov 2026 08:07:12 GMT" (the HTTP `Date` header). Errors: protocol.
Result<Time> parse_http_date(std::string_view text);

Date next_day(Date date);
Date previous_day(Date date);
/// `to - from` in days; negative when `to` lies before `from`.
std::int64_t days_between(Date from, Date to);

}  // namespace vtmirror::base
