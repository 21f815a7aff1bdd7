#include "vtmirror/web/page.hpp"

#include "vtmirror/base/text.hpp"
#include "vtmirror/report/history.hpp"
#include "vtmirror/report/missing.hpp"
#include "vtmirror/report/table.hpp"
#include "vtmirror/report/urgency.hpp"
#include "web/files.hpp"
#include "web/markup.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace vtmirror::web {
namespace {

using core::DayState;

/// Ascending.
std::vector<base::Date> days_with(const report::DayCalendar& calendar, DayState state) {
  std::vector<base::Date> days;
  for (const auto& day : calendar.days)
    if (day.state == state) days.push_back(day.date);
  return days;
}

/// "Wed 18 Nov is", "17 and 18 Nov are"
std::string days_are(const std::vector<base::Date>& days) {
  return days.size() == 1 ? report::weekday_words(days.front()) + " is" : report::days_words(days) + " are";
}

std::string through_words(const report::Status& status) {
  return status.chain.through ? " through " + report::weekday_words(*status.chain.through) : std::string();
}

/// A refused entry may have no day.
bool has_day(const report::DayCalendar& calendar, const std::string& file) {
  return std::ranges::any_of(calendar.days, [&file](const core::Day& day) {
    return std::ranges::find(day.files, file, &core::DayFile::name) != day.files.end();
  });
}

std::string state_html(const PageFacts& facts, const PageClock& clock) {
  const auto& status = facts.status;
  const std::string next =
      status.next_wake ? clock.at(*status.next_wake) + " (" + clock.away(*status.next_wake) + ")" : "";
  switch (status.state) {
    case core::State::starting:
      return "The daemon is starting.";
    case core::State::syncing:
      return "A cycle is running.";
    case core::State::stopping:
      return "The daemon is stopping; transfers resume at its next start.";
    case core::State::waiting:
      return next.empty() ? "Waiting to try again." : "Waiting; next try " + next + '.';
    case core::State::idle:
      break;
  }
  return next.empty() ? "Idle." : "Idle; next cycle " + next + '.';
}

std::string last_cycle_html(const PageFacts& facts, const PageClock& clock) {
  const auto& last = facts.status.last_cycle;
  if (!last) return facts.unreadable.empty() ? "No cycle has ended yet." : "The last cycle is not known.";
  return "Last cycle: " +
         element("b", last->outcome == core::Outcome::complete ? "" : "trouble", core::name(last->outcome)) +
         (last->outcome == core::Outcome::partial ? " (some listed files are missing) " : " ") +
         clock.at(last->finished) + " (" + clock.away(last->finished) +
         "): " + escaped(report::gain_words(last->outcome, last->files, last->bytes, last->finished - last->started)) +
         '.';
}

/// The name of a setting or a program stays as it is.
std::string as_sentence(std::string text) {
  const auto word = text.substr(0, text.find(' '));
  const bool is_name = word.find_first_of("._/`") != std::string::npos;
  const bool is_small = !text.empty() && text[0] >= 'a' && text[0] <= 'z';
  if (is_small && !is_name) text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text.ends_with('.') ? text : text + '.';
}

std::string problem_html(const report::ProblemStatus& problem, const PageClock& clock) {
  const bool is_error = problem.severity == core::Severity::error;
  std::string html = std::string("<li class=\"") + (is_error ? "error" : "warning") + "\"><p><b>" +
                     (is_error ? "Error" : "Warning") + "</b> <code>" + escaped(problem.code) + "</code> " +
                     prose(problem.message) + "</p>";
  if (!problem.advice.empty()) html += "<p class=\"advice\">" + with_code(as_sentence(problem.advice)) + "</p>";
  html += "<p class=\"quiet\">since " + clock.at(problem.since) + " (" + clock.away(problem.since) + ')';
  if (problem.next_try) html += "; next try " + clock.at(*problem.next_try);
  return html + "</p></li>";
}

/// "lost from disk"; but: "no room on the disk"
bool says_what_it_is(core::MissingReason reason) {
  return reason != core::MissingReason::refused && reason != core::MissingReason::does_not_fit;
}

/// "bulk 22 Nov is lost from disk"
std::string why_missing(const PageFacts& facts, const std::string& name) {
  const auto title = base::printable(report::title_of(name));
  for (const auto& day : facts.calendar.days) {
    const auto file = std::ranges::find(day.files, name, &core::DayFile::name);
    if (file == day.files.end()) continue;
    const auto words = file->reason ? report::phrase(*file->reason) : core::name(file->state);
    const bool is_said = !file->reason || says_what_it_is(*file->reason);
    return title + (is_said ? " is " : ": ") +
           (file->detail.empty() ? std::string(words) : base::printable(file->detail));
  }
  return title + " is missing";
}

Headline headline_without_chain(const PageFacts& facts) {
  const auto& status = facts.status;
  const auto& missing = status.chain.missing;
  if (status.state == core::State::starting) return {"Starting", "wait"};
  if (!missing.empty() && is_on_the_way(facts)) return {"Downloading; nothing to load yet", "wait"};
  if (!missing.empty()) return {"Nothing can be loaded: " + why_missing(facts, missing.front()), "bad"};
  const bool failed = status.last_cycle && status.last_cycle->outcome == core::Outcome::failed;
  if (failed) return {"Nothing can be loaded: the last cycle failed", "bad"};
  return {"Nothing to load yet", "wait"};
}

/// No listing of today, because the service could not be asked: whether it lists today's delta is not known.
bool could_not_ask(const PageFacts& facts) {
  const auto& status = facts.status;
  if (status.cycle || !status.last_cycle || status.last_cycle->outcome != core::Outcome::failed) return false;
  const auto& at = facts.calendar.listed_at;
  return !at || PageClock(facts).day_of(*at) < facts.calendar.today;
}

/// Also days of which nobody asked in time, although they follow the chain.
bool lacks_listing(const PageFacts& facts) {
  return could_not_ask(facts) || std::ranges::any_of(facts.calendar.days, [&facts](const core::Day& day) {
           return day.state == DayState::unknown && day.date > *facts.status.chain.through;
         });
}

std::string last_listing_words(const PageFacts& facts) {
  const auto& at = facts.calendar.listed_at;
  return at ? "no listing since " + PageClock(facts).text(*at) : "no listing has been read since then";
}

/// A bad listing may have thousands of them.
constexpr std::size_t most_names = 12;

std::string missing_words(const std::vector<std::string>& missing) {
  const auto named = missing.size() > most_names ? most_names - 1 : missing.size();
  std::string words;
  for (std::size_t at = 0; at < named; ++at)
    words += (words.empty() ? "" : ", ") + base::printable(report::title_of(missing[at]));
  return named == missing.size() ? words : words + " and " + std::to_string(missing.size() - named) + " more";
}

}  // namespace

bool is_on_the_way(const PageFacts& facts) {
  const auto& cycle = facts.status.cycle;
  if (!cycle || (cycle->done >= cycle->files && cycle->downloads.empty())) return false;
  for (const auto& file : facts.status.chain.missing)
    if (!has_day(facts.calendar, file)) return false;
  const auto lasts = [&facts](const core::Day& day) {
    return day.state < DayState::missing && (!facts.calendar.from || day.date >= *facts.calendar.from);
  };
  return std::ranges::none_of(facts.calendar.days, lasts);
}

Headline headline_of(const PageFacts& facts) {
  const auto& chain = facts.status.chain;
  const auto late = days_with(facts.calendar, DayState::late);
  const auto expected = days_with(facts.calendar, DayState::expected);
  const auto through = through_words(facts.status);
  if (!facts.unreadable.empty())
    return {"The catalogue cannot be read" + (chain.through ? "; last known:" + through : ""), "bad"};
  if (!chain.through) return headline_without_chain(facts);
  if (!chain.complete && is_on_the_way(facts)) return {"Downloading; complete" + through, "wait"};
  if (!chain.complete && !facts.calendar.listed_at)
    return {"Not complete: no listing was read yet; loads" + through, "bad"};
  if (!chain.complete) return {"Not complete: loads" + through, "bad"};
  if (!late.empty()) return {days_are(late) + " late; complete" + through, "bad"};
  if (lacks_listing(facts)) return {"Complete" + through + "; " + last_listing_words(facts), "bad"};
  if (!expected.empty()) return {"Complete" + through + "; " + days_are(expected) + " not listed yet", "wait"};
  return {"Complete" + through, "ok"};
}

std::string head_html(const PageFacts& facts) {
  const PageClock clock(facts);
  const auto headline = headline_of(facts);
  std::string html = "<h1 class=\"" + std::string(headline.tone) + "\">" + escaped(headline.words) + "</h1>";
  const auto missing = std::ssize(facts.status.chain.missing);
  html += "<p>" + state_html(facts, clock) + ' ' + last_cycle_html(facts, clock) + "</p>";
  if (const auto& work = facts.status.verification)
    html += "<p>Held files are read again, as was asked: " + report::progress_words(*work) + ".</p>";
  if (missing == 0) return html;
  const auto names = missing_words(facts.status.chain.missing);
  if (is_on_the_way(facts)) return html + element("p", "", "To come: " + names + '.');
  return html + element("p", "trouble", base::counted(missing, "file") + " missing: " + names + '.');
}

std::string problems_html(const PageFacts& facts) {
  const auto& problems = facts.status.problems;
  if (problems.empty()) return "";
  const PageClock clock(facts);
  std::string html = "<section aria-labelledby=\"problems-title\"><h2 id=\"problems-title\">" +
                     escaped(base::counted(std::ssize(problems), "problem")) + "</h2><ul class=\"problems\">";
  for (const auto& problem : report::by_urgency(problems)) html += problem_html(problem, clock);
  return html + "</ul></section>";
}

std::string consumers_html(const PageFacts& facts) {
  const auto& consumers = facts.status.consumers;
  if (consumers.empty()) return "";
  const PageClock clock(facts);
  std::string html =
      "<section aria-labelledby=\"consumers-title\"><h2 id=\"consumers-title\">Consumers</h2><table class=\"rows "
      "consumers\">"
      "<thead><tr><th scope=\"col\">Name</th><th scope=\"col\">Loaded through</th><th scope=\"col\">To load</th>"
      "<th scope=\"col\">Behind since</th></tr></thead><tbody>";
  for (const auto& consumer : consumers) {
    html += "<tr><th scope=\"row\">" + escaped(consumer.name) + "</th><td>";
    html += consumer.through ? escaped(report::weekday_words(*consumer.through)) : "nothing yet";
    html += "</td><td>" + escaped(base::counted(consumer.files, "file") + ", " + base::human_size(consumer.bytes));
    html +=
        "</td><td>" + (consumer.behind_since ? clock.at(*consumer.behind_since)
                                             : std::string(consumer.through ? "up to date" : "nothing to load yet"));
    html += "</td></tr>";
  }
  return html + "</tbody></table></section>";
}

std::string foot_html(const PageFacts& facts) {
  const auto& mirror = facts.status.mirror;
  std::string html = "vtmirror " + escaped(facts.status.version) + " &middot; " + escaped(mirror.directory);
  if (mirror.generation) html += " &middot; generation " + std::to_string(*mirror.generation);
  return html +
         "<span class=\"links\"> &middot; as JSON: <a href=\"/v1/status\">status</a> <a "
         "href=\"/v1/calendar\">calendar</a> "
         "<a href=\"/v1/coverage\">coverage</a> <a href=\"/v1/files\">files</a> <a "
         "href=\"/v1/history\">history</a></span>";
}

namespace {

std::string part(std::string_view name, const PageFacts& facts) {
  using Part = std::pair<std::string_view, std::string (*)(const PageFacts&)>;
  static constexpr std::array<Part, 13> parts{{
      {"version", [](const PageFacts& each) { return escaped(each.status.version); }},
      {"title", [](const PageFacts& each) { return escaped(headline_of(each).words + " - vtmirror"); }},
      {"now", [](const PageFacts& each) { return PageClock(each).at(each.now); }},
      {"moment", [](const PageFacts& each) { return PageClock(each).in_full(each.now); }},
      {"head", head_html},
      {"problems", problems_html},
      {"transfers", transfers_html},
      {"week", week_html},
      {"year", year_html},
      {"cycles", cycles_html},
      {"figures", figures_html},
      {"consumers", consumers_html},
      {"foot", foot_html},
  }};
  const auto found = std::ranges::find(parts, name, &Part::first);
  return found == parts.end() ? std::string() : found->second(facts);
}

}  // namespace

std::string page_html(const PageFacts& facts) {
  std::string html;
  std::string_view rest = page_template;
  for (auto open = rest.find("{{"); open != std::string_view::npos; open = rest.find("{{")) {
    const auto close = rest.find("}}", open);
    html += rest.substr(0, open);
    html += part(rest.substr(open + 2, close - open - 2), facts);
    rest.remove_prefix(close + 2);
  }
  return html.append(rest);
}

const File* find_file(std::string_view path) noexcept {
  static const std::array<File, 3> files{{
      {"/style.css", "text/css; charset=utf-8", style_css},
      {"/script.js", "text/javascript; charset=utf-8", script_js},
      {"/icon.svg", "image/svg+xml", icon_svg},
  }};
  const auto found = std::ranges::find(files, path, &File::path);
  return found == files.end() ? nullptr : &*found;
}

}  // namespace vtmirror::web
