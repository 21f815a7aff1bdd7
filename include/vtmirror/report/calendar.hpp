// The calendar of days: its records out of the catalogue, its JSON (GET /v1/calendar), and as letters on a terminal.
// Promises the states of core/days.hpp to all who show them. Never reads a clock.
#pragma once

#include "vtmirror/catalogue/catalogue.hpp"
#include "vtmirror/core/days.hpp"
#include "vtmirror/report/chain.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace vtmirror::report {

/// What days are made of. It changes only with the catalogue.
struct CalendarRecords {
  base::Date since{};  ///< older days may lack files
  Coverage coverage{};
  core::Calendar calendar{};
  std::vector<core::FileRecord> files{};
  std::vector<base::Date> late{};  ///< of the problem `late_delta`, as the catalogue has it
};

base::Result<CalendarRecords> calendar_records(const catalogue::Catalogue& catalogue, base::Date since);

/// A year, and the days of its first week.
inline constexpr int days_of_a_year = 371;
/// For `calendar_records`: the first of the newest `most` days.
base::Date first_day(base::Date today, int most);

struct DayCalendar {
  base::Date today{};
  std::vector<core::Day> days{};
  bool complete = false;
  std::optional<base::Date> from{};       ///< the first day of the chain to load
  std::optional<base::Date> through{};    ///< its last one
  std::optional<base::Time> listed_at{};  ///< when a listing was read last; empty: none was
};

/// The newest `most` days. `facts.late` is added to the days that the catalogue knows of. The detail of a missing file
/// says why, as `vtmirror coverage` does.
DayCalendar calendar_of(const CalendarRecords& records, core::DayFacts facts, int most);

/// The day in the calendar; null if it is not among its days.
const core::Day* find_day(const DayCalendar& calendar, base::Date day);
/// Whether a file of that day is in the chain to load.
bool is_to_load(const core::Day& day);

/// How a state is shown on a terminal: each by another small letter, which is a capital for a day to load.
char letter_of(core::DayState state) noexcept;

/// "expected: its delta is not listed yet"
std::string_view meaning_of(core::DayState state) noexcept;

/// A column of a calendar begins with a Monday.
inline constexpr int days_of_a_week = 7;
base::Date monday_of(base::Date day);
/// "Wed"
std::string weekday_name(base::Date day);
/// "Wed 18 Nov"
std::string weekday_words(base::Date day);
/// "Wed 18 Nov: held; load 4: delta 3.00 MB"
std::string day_sentence(const core::Day& day);
/// The files of a day: "load 1: bulk 40.0 GB", or a missing one with its reason; a part for each file.
std::vector<std::string> file_words(const core::Day& day);

/// Keys in the order of vtmirror-api(7).
std::string calendar_json(const DayCalendar& calendar);

struct CalendarLook {
  std::size_t width = 80;  ///< 0: unlimited
  bool colour = false;
};
/// A letter for each day, a column for each week, the newest at the right; then the days of the chain and the last week
/// one by one. Plain letters say all that colours say. Lines are cut to the width.
std::string calendar_text(const DayCalendar& calendar, const CalendarLook& look);

}  // namespace vtmirror::report
