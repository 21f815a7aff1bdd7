#include "vtmirror/report/days.hpp"

#include <cstddef>
#include <cstdint>

namespace vtmirror::report {
namespace {

/// A run of as many days or more is written as "19 to 22 Nov".
constexpr int long_run = 4;

using namespace std::chrono;

std::string two_digits(std::int64_t number) { return (number < 10 ? "0" : "") + std::to_string(number); }

base::Time local(base::Time time, const UtcOffset& offset) { return offset ? time + offset(time) : time; }

std::string span(seconds length) {
  if (length < 60s) return std::to_string(length.count()) + "s";
  if (const auto count = round<minutes>(length).count(); count < 60) return std::to_string(count) + "m";
  if (const auto count = round<hours>(length).count(); count < 48) return std::to_string(count) + "h";
  return std::to_string(round<days>(length).count()) + " days";
}

std::string number_of(base::Date day) { return std::to_string(static_cast<unsigned>(day.day())); }

struct Run {
  base::Date first;
  base::Date last;
};

std::chrono::year_month month_of(base::Date day) { return day.year() / day.month(); }

/// "Nov", or "Nov 2026"
std::string month_and_year(base::Date day, bool with_year) {
  return month_words(day) + (with_year ? ' ' + std::to_string(static_cast<int>(day.year())) : "");
}

std::string words_of(const Run& run, bool with_year) {
  auto first = number_of(run.first);
  if (run.first == run.last) return first;
  const bool one_month = month_of(run.first) == month_of(run.last);
  return first + (one_month ? "" : ' ' + month_and_year(run.first, with_year)) + " to " + number_of(run.last);
}

/// Long runs as one, all other days one by one.
std::vector<Run> runs_of(const std::vector<base::Date>& days) {
  std::vector<Run> runs;
  for (std::size_t begin = 0; begin < days.size();) {
    auto end = begin + 1;
    while (end < days.size() && base::days_between(days[end - 1], days[end]) == 1) ++end;
    if (end - begin >= long_run) {
      runs.push_back({days[begin], days[end - 1]});
    } else {
      for (auto at = begin; at < end; ++at) runs.push_back({days[at], days[at]});
    }
    begin = end;
  }
  return runs;
}

}  // namespace

std::string local_time(base::Time time, const UtcOffset& offset) {
  if (!offset) return base::iso8601(time);
  auto text = base::iso8601(floor<seconds>(local(time, offset)));
  text.replace(text.find('T'), 1, " ");
  text.pop_back();  // the Z
  return text;
}

std::string local_time_with_offset(base::Time time, const UtcOffset& offset) {
  if (!offset) return base::iso8601(time);
  const auto ahead = offset(time);
  const hh_mm_ss parts(abs(ahead));
  return local_time(time, offset) + (ahead.count() < 0 ? " -" : " +") + two_digits(parts.hours().count()) + ':' +
         two_digits(parts.minutes().count());
}

base::Date local_day(base::Time time, const UtcOffset& offset) { return base::Date(floor<days>(local(time, offset))); }

std::string minute_words(base::Time time, const UtcOffset& offset) {
  const auto at = local(time, offset);
  const auto minute = floor<minutes>(at - floor<days>(at)).count();
  return two_digits(minute / 60) + ':' + two_digits(minute % 60) + (offset ? "" : " UTC");
}

std::string_view near_day(base::Date day, base::Date today) {
  const auto ahead = base::days_between(today, day);
  if (ahead == 0) return "today";
  if (ahead == 1) return "tomorrow";
  return ahead == -1 ? "yesterday" : "";
}

std::string away_words(base::Time time, base::Time now) {
  const auto left = floor<seconds>(time) - floor<seconds>(now);
  if (left == 0s) return "now";
  return left > 0s ? "in " + span(left) : span(-left) + " ago";
}

std::string clock_time(base::Time time, base::Time now, const UtcOffset& offset) {
  const auto day = local_day(time, offset);
  const auto today = local_day(now, offset);
  auto minute = minute_words(time, offset);
  if (day == today) return minute;
  const auto near = near_day(day, today);
  return (near.empty() ? base::iso8601(day) : std::string(near)) + ' ' + minute;
}

std::string month_words(base::Date day) { return base::day_and_month(day).substr(number_of(day).size() + 1); }

std::string day_words(base::Date day) { return base::day_and_month(day); }

std::string days_words(const std::vector<base::Date>& days) {
  const auto runs = runs_of(days);
  const bool with_year = !days.empty() && days.front().year() != days.back().year();
  std::string text;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const bool is_last = i + 1 == runs.size();
    if (i > 0) text += is_last ? " and " : ", ";
    text += words_of(runs[i], with_year);
    // The month is said once for the days that share it.
    const auto month = month_of(runs[i].last);
    if (is_last || month_of(runs[i + 1].last) != month || month_of(runs[i + 1].first) != month)
      text += ' ' + month_and_year(runs[i].last, with_year);
  }
  return text;
}

}  // namespace vtmirror::report
