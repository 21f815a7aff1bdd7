#include "vtmirror/report/calendar.hpp"

#include "vtmirror/base/time.hpp"
#include "vtmirror/report/table.hpp"

#include <algorithm>
#include <cctype>
#include <chrono>

namespace vtmirror::report {
namespace {

using std::chrono::days;
using std::chrono::sys_days;

constexpr std::size_t label_columns = 5;
constexpr std::size_t most_weeks = 53;

char shown_of(const core::Day& day) {
  const char letter = letter_of(day.state);
  return is_to_load(day) ? static_cast<char>(std::toupper(static_cast<unsigned char>(letter))) : letter;
}

std::string_view colour_of(core::DayState state) {
  using core::DayState;
  switch (state) {
    case DayState::damaged:
    case DayState::lost:
    case DayState::refused:
    case DayState::late:
    case DayState::missing:
      return "\x1b[1;31m";
    case DayState::downloading:
      return "\x1b[36m";
    case DayState::expected:
    case DayState::unknown:
      return "\x1b[33m";
    case DayState::held:
      return "\x1b[32m";
    case DayState::absent:
    case DayState::removed:
      break;
  }
  return "\x1b[2m";
}

std::string painted(core::DayState state, const std::string& text, const CalendarLook& look) {
  return look.colour ? std::string(colour_of(state)) + text + "\x1b[0m" : text;
}

/// The days as columns of weeks.
class Year {
 public:
  Year(const DayCalendar& calendar, const CalendarLook& look) : calendar_(calendar), look_(look) {
    const auto room = look.width == 0 ? most_weeks : look.width - std::min(look.width, label_columns);
    const sys_days first(monday_of(calendar.days.front().date));
    const sys_days last(monday_of(calendar.days.back().date));
    weeks_ = static_cast<std::size_t>((last - first) / days(days_of_a_week)) + 1;
    const auto shown = std::clamp<std::size_t>(weeks_, 1, std::min(room == 0 ? 1 : room, most_weeks));
    first_ = first + days(days_of_a_week) * static_cast<int>(weeks_ - shown);
    weeks_ = shown;
  }

  std::string text() const {
    std::string text = months();
    for (int weekday = 0; weekday < days_of_a_week; ++weekday) text += row(weekday);
    return text;
  }

 private:
  /// The name of a month stands above the week that has its first day, if there is room before the next one.
  std::string months() const {
    std::string line(label_columns, ' ');
    for (std::size_t week = 0; week < weeks_; ++week) {
      const base::Date last = first_ + days(days_of_a_week) * static_cast<int>(week) + days(days_of_a_week - 1);
      const bool begins = static_cast<unsigned>(last.day()) <= days_of_a_week;
      const auto at = label_columns + week;
      if (!begins || line.size() > at || at + 3 > label_columns + std::max<std::size_t>(weeks_, 3)) continue;
      line.append(at - line.size(), ' ');
      line += month_words(last) + ' ';
    }
    line.erase(line.find_last_not_of(' ') + 1);
    return line.empty() ? std::string() : line + '\n';
  }

  std::string row(int weekday) const {
    const base::Date first = first_ + days(weekday);
    std::string line = weekday_name(first);
    line.append(label_columns - line.size(), ' ');
    std::string blanks;
    for (std::size_t week = 0; week < weeks_; ++week) {
      const auto* day = find_day(calendar_, first_ + days(days_of_a_week) * static_cast<int>(week) + days(weekday));
      if (day == nullptr) {
        blanks += ' ';
        continue;
      }
      line += blanks + painted(day->state, std::string(1, shown_of(*day)), look_);
      blanks.clear();
    }
    return line + '\n';
  }

  const DayCalendar& calendar_;
  const CalendarLook& look_;
  sys_days first_;
  std::size_t weeks_ = 0;
};

std::string legend(const DayCalendar& calendar, const CalendarLook& look) {
  std::string text;
  for (const auto& count : core::count_of(calendar.days)) {
    const auto number = std::to_string(count.days);
    text += "  " + painted(count.state, std::string(1, letter_of(count.state)), look) + "  " +
            std::string(4 - std::min<std::size_t>(4, number.size()), ' ') + number + "  " +
            std::string(meaning_of(count.state)) + '\n';
  }
  return text + "A capital letter marks a day to load.\n";
}

std::string joined(const std::vector<std::string>& parts) {
  std::string text;
  for (const auto& part : parts) text += (text.empty() ? "" : "; ") + part;
  return text;
}

/// The days of the chain, or of the last week if that is more; never more than two weeks.
std::string newest_days(const DayCalendar& calendar, const CalendarLook& look) {
  auto count = std::min<std::ptrdiff_t>(days_of_a_week, std::ssize(calendar.days));
  if (calendar.from)
    for (const auto& day : calendar.days)
      if (day.date == *calendar.from) count = std::max(count, calendar.days.data() + calendar.days.size() - &day);
  count = std::min<std::ptrdiff_t>(count, std::ptrdiff_t{2} * days_of_a_week);
  Table table({{"DAY"}, {"STATE"}, {"FILES"}});
  for (auto day = calendar.days.end() - count; day != calendar.days.end(); ++day)
    table.add({weekday_words(day->date), std::string(core::name(day->state)), joined(file_words(*day))});
  return table.flowing_text(look.width);
}

}  // namespace

std::string calendar_text(const DayCalendar& calendar, const CalendarLook& look) {
  if (calendar.days.empty()) return "No days to show: no cycle has received a listing yet; run `vtmirror sync`.\n";
  return Year(calendar, look).text() + '\n' + legend(calendar, look) + '\n' + newest_days(calendar, look);
}

}  // namespace vtmirror::report
