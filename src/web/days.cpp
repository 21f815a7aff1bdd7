// The week in detail, and the year as a table with a column for each week.
#include "web/markup.hpp"

#include "vtmirror/base/text.hpp"
#include "vtmirror/report/calendar.hpp"

#include <algorithm>
#include <chrono>
#include <string_view>

namespace vtmirror::web {
namespace {

using std::chrono::days;
using std::chrono::sys_days;

using report::days_of_a_week;

/// A younger mirror's calendar has empty columns before it, so that its days look the same.
constexpr std::ptrdiff_t weeks_of_a_year = 53;
constexpr std::ptrdiff_t weeks_on_a_phone = 27;
/// In fewer of them, a month's name would touch the next one on a phone.
constexpr std::ptrdiff_t weeks_of_a_name = 3;

std::string day_link(base::Date day, const std::string& words) {
  return "<a href=\"/?day=" + base::iso8601(day) + "\">" + words + "</a>";
}

/// Weeks are counted back from the newest day, so that the newest one is always whole.
struct Week {
  std::ptrdiff_t first = 0;  ///< both are places in the calendar
  std::ptrdiff_t end = 0;
};

Week week_of(const report::DayCalendar& calendar, const std::optional<base::Date>& day) {
  const auto count = std::ssize(calendar.days);
  std::ptrdiff_t back = 0;
  if (day) back = std::clamp<std::ptrdiff_t>(base::days_between(*day, calendar.days.back().date), 0, count - 1);
  const auto end = count - back / days_of_a_week * days_of_a_week;
  return {std::max<std::ptrdiff_t>(0, end - days_of_a_week), end};
}

std::string file_html(const core::DayFile& file, core::DayState of_day) {
  std::string html = "<li>";
  if (file.load > 0)
    html += "<b class=\"load\"><span class=\"unseen\">load </span>" + std::to_string(file.load) + "</b> ";
  html += std::string(core::name(file.kind));
  if (file.size > 0) html += " <span class=\"size\">" + escaped(base::human_size(file.size)) + "</span>";
  const bool is_said = file.state == core::DayState::held || (file.detail.empty() && file.state == of_day);
  if (is_said) return html + "</li>";
  return html + element("span", "why", file.detail.empty() ? core::name(file.state) : file.detail) + "</li>";
}

std::string day_words(base::Date day, base::Date today) {
  if (day == today) return "Today, " + base::day_and_month(day);
  const auto year = std::to_string(static_cast<int>(day.year()));
  return report::weekday_words(day) + (day.year() == today.year() ? "" : ' ' + year);
}

/// While a cycle brings the files, one that waits for its turn is no reason for alarm.
bool is_queued(const core::Day& day, bool comes) {
  return comes && day.state == core::DayState::missing && std::ranges::all_of(day.files, [](const core::DayFile& file) {
           return file.state != core::DayState::missing || file.reason == core::MissingReason::not_downloaded;
         });
}

std::string class_of(const core::Day& day, bool comes) {
  return std::string(core::name(day.state)) + (is_queued(day, comes) ? " queued" : "");
}

std::string card_html(const core::Day& day, base::Date today, bool comes) {
  std::string html = "<li class=\"card " + class_of(day, comes) + (day.date == today ? " today" : "") + "\"><h3>" +
                     escaped(day_words(day.date, today)) + "</h3>" + element("p", "state", core::name(day.state));
  if (day.files.empty()) return html + "</li>";
  html += "<ul>";
  for (const auto& file : day.files) html += file_html(file, day.state);
  return html + "</ul></li>";
}

sys_days monday_of(base::Date day) { return report::monday_of(day); }

std::string cell_html(const core::Day& day, base::Date today, bool comes) {
  return "<td class=\"" + class_of(day, comes) + (report::is_to_load(day) ? " load" : "") +
         (day.date == today ? " today" : "") + "\" data-day=\"" + base::iso8601(day.date) + "\"><i>" +
         escaped(report::day_sentence(day)) + "</i></td>";
}

class Year {
 public:
  explicit Year(const PageFacts& facts) : Year(facts.calendar, is_on_the_way(facts)) {}

  std::string html() const {
    std::string html =
        "<table class=\"year\"><caption class=\"unseen\">A year of days: a row for each weekday, a column for each "
        "week, the newest at the right</caption><thead><tr><td></td>" +
        months() + "</tr></thead><tbody>";
    for (int weekday = 0; weekday < days_of_a_week; ++weekday) html += row(weekday);
    return html + "</tbody></table>";
  }

 private:
  Year(const report::DayCalendar& calendar, bool comes)
      : calendar_(calendar),
        comes_(comes),
        first_(std::min(monday_of(calendar.days.front().date),
                        monday_of(calendar.days.back().date) - days((weeks_of_a_year - 1) * days_of_a_week))),
        weeks_((monday_of(calendar.days.back().date) - first_) / days(days_of_a_week) + 1) {}

  sys_days day_at(std::ptrdiff_t week, int weekday) const { return first_ + days(week * days_of_a_week + weekday); }

  /// On a narrow screen only the newer half of a year has room.
  std::string_view age(std::ptrdiff_t week) const { return week + weeks_on_a_phone < weeks_ ? "old" : ""; }

  base::Date sunday_of(std::ptrdiff_t week) const { return day_at(week, days_of_a_week - 1); }
  bool is_of_one_month(std::ptrdiff_t week, std::ptrdiff_t other) const {
    return other >= 0 && other < weeks_ && sunday_of(week).month() == sunday_of(other).month();
  }

  /// A wide screen shows the name of a month over all its weeks, of which a narrow one hides the old ones. Nothing
  /// follows the name of the newest month.
  bool has_room(std::ptrdiff_t week, std::ptrdiff_t end) const {
    while (age(week) == "old" && end < weeks_ && is_of_one_month(week, end)) ++end;
    return end - week >= (end == weeks_ ? weeks_of_a_name - 1 : weeks_of_a_name);
  }

  /// Where the columns of a narrow screen begin within a month, it has a second heading, which only such a screen
  /// shows.
  std::string months() const {
    std::string html;
    for (std::ptrdiff_t week = 0; week < weeks_;) {
      auto end = week + 1;
      while (is_of_one_month(week, end) && age(end) == age(week)) ++end;
      const std::string css_class(is_of_one_month(week, week - 1) ? "again" : age(week));
      const auto month = report::month_words(sunday_of(week));
      html += "<th scope=\"colgroup\" class=\"" + css_class + "\" colspan=\"" + std::to_string(end - week) + "\">" +
              (has_room(week, end) ? month : "<span class=\"unseen\">" + month + "</span>") + "</th>";
      week = end;
    }
    return html;
  }

  std::string row(int weekday) const {
    std::string html = "<tr><th scope=\"row\">" + report::weekday_name(day_at(0, weekday)) + "</th>";
    for (std::ptrdiff_t week = 0; week < weeks_; ++week) {
      const auto* day = report::find_day(calendar_, day_at(week, weekday));
      auto cell = day != nullptr ? cell_html(*day, calendar_.today, comes_) : std::string("<td class=\"none\"></td>");
      if (age(week) == "old") cell.insert(std::string_view("<td class=\"").size(), "old ");
      html += cell;
    }
    return html + "</tr>";
  }

  const report::DayCalendar& calendar_;
  bool comes_;
  sys_days first_;
  std::ptrdiff_t weeks_;
};

/// The counts are of the whole year: the screen that shows less of it leaves them out.
std::string legend_html(const report::DayCalendar& calendar, bool comes) {
  const bool all_queued = std::ranges::all_of(calendar.days, [comes](const core::Day& day) {
    return day.state != core::DayState::missing || is_queued(day, comes);
  });
  std::string html = "<ul class=\"legend\" aria-label=\"What the days show\">";
  for (const auto& count : core::count_of(calendar.days)) {
    html += "<li><span class=\"key " + std::string(core::name(count.state)) +
            (count.state == core::DayState::missing && all_queued ? " queued" : "") +
            "\"></span><span><span class=\"count\">" + std::to_string(count.days) + " </span>" +
            std::string(report::meaning_of(count.state)) + "</span></li>";
  }
  if (std::ranges::any_of(calendar.days, report::is_to_load))
    html += "<li><span class=\"key held load\"></span> to load</li>";
  return html + "</ul>";
}

}  // namespace

std::string week_html(const PageFacts& facts) {
  const auto& calendar = facts.calendar;
  if (calendar.days.empty() && !facts.unreadable.empty()) return unreadable_html(facts);
  if (calendar.days.empty()) return "<p>No cycle has received a listing yet, so no day is known.</p>";
  const auto week = week_of(calendar, facts.day);
  const bool comes = is_on_the_way(facts);
  std::string html = "<ol class=\"week\">";
  for (auto at = week.first; at < week.end; ++at)
    html += card_html(calendar.days[static_cast<std::size_t>(at)], calendar.today, comes);
  html += "</ol><nav class=\"weeks\" aria-label=\"Weeks\">";
  if (week.first > 0) html += day_link(calendar.days[static_cast<std::size_t>(week.first - 1)].date, "Earlier week");
  const auto last = std::min(week.end + days_of_a_week, std::ssize(calendar.days)) - 1;
  if (week.end < std::ssize(calendar.days))
    html +=
        ' ' + day_link(calendar.days[static_cast<std::size_t>(last)].date, "Later week") + " <a href=\"/\">Newest</a>";
  return html + "</nav>";
}

std::string year_html(const PageFacts& facts) {
  if (facts.calendar.days.empty()) return "";
  return Year(facts).html() + legend_html(facts.calendar, is_on_the_way(facts));
}

}  // namespace vtmirror::web
