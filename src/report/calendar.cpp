#include "vtmirror/report/calendar.hpp"

#include "report/json_value.hpp"
#include "vtmirror/base/text.hpp"

#include <boost/json.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

namespace vtmirror::report {
namespace {

constexpr std::array<std::string_view, 7> weekdays{"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};

std::vector<base::Date> late_days(const std::vector<core::Problem>& problems) {
  std::vector<base::Date> days;
  for (const auto& problem : problems) {
    const auto day = base::parse_date(problem.cause.subject);
    if (problem.code == core::ProblemCode::late_delta && day) days.push_back(*day);
  }
  return days;
}

boost::json::object object_of(const core::DayFile& file) {
  boost::json::object object{{"kind", core::name(file.kind)},   {"name", file.name}, {"size", file.size},
                             {"state", core::name(file.state)}, {"load", nullptr},   {"reason", nullptr}};
  if (file.load > 0) object["load"] = file.load;
  if (file.reason) object["reason"] = core::name(*file.reason);
  object["detail"] = text_or_null(file.detail);
  return object;
}

boost::json::object object_of(const core::Day& day) {
  boost::json::array files;
  for (const auto& file : day.files) files.emplace_back(object_of(file));
  return {{"date", base::iso8601(day.date)}, {"state", core::name(day.state)}, {"files", std::move(files)}};
}

}  // namespace

base::Date first_day(base::Date today, int most) { return std::chrono::sys_days(today) - std::chrono::days(most - 1); }

base::Result<CalendarRecords> calendar_records(const catalogue::Catalogue& catalogue, base::Date since) {
  auto now = catalogue::chain_now(catalogue);
  if (!now) return now.error();
  auto files = std::move(now->files);
  auto coverage = coverage_of(catalogue, std::move(*now));
  if (!coverage) return coverage.error();
  auto calendar = catalogue.calendar_since(since);
  if (!calendar) return calendar.error();
  const auto problems = catalogue.problems();
  if (!problems) return problems.error();
  return CalendarRecords{since, std::move(*coverage), std::move(*calendar), std::move(files), late_days(*problems)};
}

DayCalendar calendar_of(const CalendarRecords& records, core::DayFacts facts, int most) {
  const auto& chain = records.coverage.chain;
  facts.late.insert(facts.late.end(), records.late.begin(), records.late.end());
  DayCalendar calendar{.today = facts.today, .complete = chain.complete, .through = chain.through};
  calendar.listed_at = records.coverage.listed_at;
  if (!chain.files.empty()) calendar.from = chain.files.front().date;
  calendar.days = core::days_of(records.calendar, chain, records.files, facts, most);
  for (auto& day : calendar.days) {
    for (auto& file : day.files) {
      const auto why = records.coverage.why_missing.find(file.name);
      if (file.state == core::DayState::downloading)
        file.detail.clear();  // how far it is changes too fast
      else if (file.reason && why != records.coverage.why_missing.end())
        file.detail = why->second;
    }
  }
  return calendar;
}

const core::Day* find_day(const DayCalendar& calendar, base::Date day) {
  if (calendar.days.empty()) return nullptr;
  const auto place = base::days_between(calendar.days.front().date, day);
  if (place < 0 || place >= std::ssize(calendar.days)) return nullptr;
  return &calendar.days[static_cast<std::size_t>(place)];
}

bool is_to_load(const core::Day& day) {
  return std::ranges::any_of(day.files, [](const core::DayFile& file) { return file.load > 0; });
}

char letter_of(core::DayState state) noexcept {
  switch (state) {
    case core::DayState::damaged:
      return 'x';
    case core::DayState::lost:
      return 'g';
    case core::DayState::refused:
      return 'r';
    case core::DayState::late:
      return 'l';
    case core::DayState::missing:
      return 'm';
    case core::DayState::downloading:
      return 'd';
    case core::DayState::expected:
      return 'e';
    case core::DayState::unknown:
      return '?';
    case core::DayState::absent:
      return 'a';
    case core::DayState::held:
      return 'h';
    case core::DayState::removed:
      return '-';
  }
  return ' ';
}

std::string_view meaning_of(core::DayState state) noexcept {
  switch (state) {
    case core::DayState::damaged:
      return "damaged or quarantined";
    case core::DayState::lost:
      return "lost: gone from disk";
    case core::DayState::refused:
      return "refused: its entry in the listing is not usable";
    case core::DayState::late:
      return "late: its delta was not listed in time";
    case core::DayState::missing:
      return "missing: listed, but not held";
    case core::DayState::downloading:
      return "downloading";
    case core::DayState::expected:
      return "expected: its delta is not listed yet";
    case core::DayState::unknown:
      return "unknown: no listing covered this day";
    case core::DayState::absent:
      return "absent upstream: the service made no delta";
    case core::DayState::held:
      return "held";
    case core::DayState::removed:
      return "removed by mirror.keep_cycles";
  }
  return {};
}

base::Date monday_of(base::Date day) {
  const std::chrono::sys_days at(day);
  return at - (std::chrono::weekday(at) - std::chrono::Monday);
}

std::string weekday_name(base::Date day) {
  return std::string(weekdays.at(std::chrono::weekday(std::chrono::sys_days(day)).c_encoding()));
}

std::string weekday_words(base::Date day) { return weekday_name(day) + ' ' + day_words(day); }

std::vector<std::string> file_words(const core::Day& day) {
  std::vector<std::string> words;
  for (const auto& file : day.files) {
    std::string text = file.load > 0 ? "load " + std::to_string(file.load) + ": " : std::string();
    text += core::name(file.kind);
    if (file.size > 0) text += ' ' + base::human_size(file.size);
    const bool is_usual = file.state == core::DayState::held || (file.detail.empty() && file.state == day.state);
    if (!is_usual) text += ", " + (file.detail.empty() ? std::string(core::name(file.state)) : file.detail);
    words.push_back(std::move(text));
  }
  return words;
}

std::string day_sentence(const core::Day& day) {
  std::string text = weekday_words(day.date) + ": " + std::string(core::name(day.state));
  for (const auto& words : file_words(day)) text += "; " + words;
  return text;
}

std::string calendar_json(const DayCalendar& calendar) {
  boost::json::array days;
  for (const auto& day : calendar.days) days.emplace_back(object_of(day));
  const boost::json::object object{{"schema", answer_schema},
                                   {"today", base::iso8601(calendar.today)},
                                   {"complete", calendar.complete},
                                   {"from", text_or_null(calendar.from)},
                                   {"through", text_or_null(calendar.through)},
                                   {"days", std::move(days)}};
  return boost::json::serialize(object) + '\n';
}

}  // namespace vtmirror::report
