#include "report/status_page.hpp"

#include "vtmirror/base/text.hpp"
#include "vtmirror/report/consumers.hpp"
#include "vtmirror/report/cycle_words.hpp"
#include "vtmirror/report/forecast.hpp"
#include "vtmirror/report/history.hpp"
#include "vtmirror/report/missing.hpp"
#include "vtmirror/report/sentence.hpp"
#include "vtmirror/report/status.hpp"
#include "vtmirror/report/table.hpp"
#include "vtmirror/report/urgency.hpp"

#include <algorithm>

namespace vtmirror::report {
namespace {

using namespace std::chrono;

constexpr std::size_t most_names = 3;
constexpr std::size_t longest_message = 1'000;

/// "a, b, c and 4 more"
std::string listed(const std::vector<std::string>& words) {
  std::string text;
  for (std::size_t i = 0; i < std::min(words.size(), most_names); ++i) text += (i == 0 ? "" : ", ") + words[i];
  if (words.size() > most_names) text += " and " + std::to_string(words.size() - most_names) + " more";
  return text;
}

constexpr std::size_t numbers_columns = 28;  // " 99.9% of 38.0 GB  98.1 MB/s"
constexpr std::size_t least_name = 20, least_bar = 8, most_bar = 24;

struct Layout {
  std::size_t name = 0;
  std::size_t bar = 0;  ///< 0: none
};

/// The file's title, shortened in the middle to `columns`.
std::string fitted(const std::string& name, std::size_t columns) {
  return cut_middle(base::printable(title_of(name)), columns);
}

Layout layout_of(const std::vector<DownloadStatus>& downloads, std::size_t width) {
  std::size_t longest = 0;
  for (const auto& download : downloads) {
    longest = std::max(longest, columns_of(fitted(download.name, std::string::npos)));
  }
  if (width == 0) return {longest, most_bar};
  const auto room = width > numbers_columns ? width - numbers_columns : 0;
  if (room >= least_name + 2 + least_bar) {
    const auto name = std::min(longest, room - 2 - least_bar);
    return {name, std::min(room - 2 - name, most_bar)};
  }
  return {std::clamp(room, std::min(longest, std::size_t{4}), std::max(longest, std::size_t{4})), 0};
}

std::string right(const std::string& text, std::size_t columns) {
  return std::string(columns - std::min(columns, columns_of(text)), ' ') + text;
}

std::string pace(const DownloadStatus& download) {
  if (download.rate > 0) return base::human_size(download.rate) + "/s";
  if (download.received >= download.size) return "checking";
  return download.connections == 0 ? "waiting" : "";
}

double fraction_of(const DownloadStatus& download) {
  return download.size <= 0 ? 1 : static_cast<double>(download.received) / static_cast<double>(download.size);
}

std::string text_of(const DownloadStatus& download, const Layout& layout, bool utf8) {
  auto text = fitted(download.name, layout.name);
  text.append(layout.name - std::min(layout.name, columns_of(text)), ' ');
  if (layout.bar > 0) text += "  " + bar(fraction_of(download), layout.bar, utf8);
  text += right(percent_words(download.received, download.size), 6);
  text += " of " + right(base::human_size(download.size), 7) + right(pace(download), 11);
  return text;
}

/// Shown only if there is room for it.
std::string attempt_words(const DownloadStatus& download) {
  return download.attempt > 1 ? "  attempt " + std::to_string(download.attempt) : "";
}

/// If the width (0: unlimited) is too small, names are cut, then bars are left out; the caller cuts what is still too
/// long.
std::vector<std::string> download_lines(const std::vector<DownloadStatus>& downloads, std::size_t width, bool utf8) {
  const auto layout = layout_of(downloads, width);
  std::vector<std::string> lines;
  for (const auto& download : downloads) {
    const auto attempt = attempt_words(download);
    auto& line = lines.emplace_back(text_of(download, layout, utf8));
    if (width == 0 || columns_of(line) + attempt.size() <= width) line += attempt;
  }
  return lines;
}

std::string progress_words(const CycleStatus& cycle, base::Time now, const UtcOffset& offset) {
  if (auto step = step_words(cycle.step, cycle.asking, now, offset); !step.empty()) return step;
  auto text = std::to_string(cycle.done) + " of " + base::counted(cycle.files, "file") + ", " +
              percent_words(cycle.received, cycle.bytes) + " of " + base::human_size(cycle.bytes);
  const bool is_here = cycle.bytes > 0 && cycle.received >= cycle.bytes;
  if (is_here) text += ", being checked";
  if (cycle.rate > 0 && !is_here) text += ", " + base::human_size(cycle.rate) + "/s";
  if (cycle.eta && !is_here) text += ", " + base::human_duration(*cycle.eta) + " left";
  if (const auto pause = pause_words(cycle.asking, now, offset); !pause.empty()) text += "; " + pause;
  return text;
}

/// Why the daemon waits, if it is not for the next day.
std::string waits_for(const Status& status) {
  const bool failed = std::ranges::any_of(status.problems, [](const ProblemStatus& problem) {
    return problem.code == core::name(core::ProblemCode::cycle_failed) ||
           problem.code == core::name(core::ProblemCode::low_space);
  });
  const bool complete = !failed && status.last_cycle && status.last_cycle->outcome == core::Outcome::complete;
  return complete ? up_to_date(not_listed_yet()) : "waiting to retry";
}

std::string state_words_of(const Status& status, base::Time now, const TableLook& look) {
  const ReaderClock clock(now, look);
  const auto wake = status.next_wake ? clock.at(*status.next_wake) + " (" + clock.away(*status.next_wake) + ')' : "";
  switch (status.state) {
    case core::State::starting:
      return "starting";
    case core::State::idle:
      return wake.empty() ? "idle" : "idle; next wake-up " + wake;
    case core::State::syncing:
      return status.cycle ? "syncing; " + progress_words(*status.cycle, now, look.utc_offset) : "syncing";
    case core::State::waiting:
      return wake.empty() ? waits_for(status) : waits_for(status) + "; next try " + wake;
    case core::State::stopping:
      return "stopping; transfers under way resume at the next start";
  }
  return {};
}

void put_chain(Page& page, const Status::ChainStatus& chain, const ReaderClock& clock) {
  const auto through =
      chain.through ? "through " + base::iso8601(*chain.through) + " (" + clock.away(*chain.through) + ')' : "";
  if (!chain.through) {
    page.row("Chain", "nothing to load yet: no bulk file is held", Tone::alarm);
  } else {
    page.row("Chain", through + (chain.complete ? ", complete" : ", not complete"),
             chain.complete ? Tone::plain : Tone::alarm);
  }
  std::vector<std::string> names;
  for (const auto& name : chain.missing) names.push_back(base::printable(title_of(name)));
  if (!names.empty()) page.row("", base::counted(std::ssize(names), "file") + " missing: " + listed(names));
  if (!chain.unaccounted.empty()) page.row("", unaccounted(chain.unaccounted), Tone::alarm);
  std::vector<std::string> days;
  for (const auto& day : chain.absent_upstream) days.push_back(base::iso8601(day));
  if (!days.empty())
    page.row("", "no delta upstream for " + listed(days) + ": a later delta or the next bulk file has the data");
}

/// What a smaller keep_cycles would free is shown when somebody may want to know it.
void put_outlook(Page& page, const core::Outlook& outlook) {
  const bool soon = outlook.forecast && outlook.forecast->soon;
  page.row("Disk", lasts(outlook), soon ? Tone::alarm : Tone::plain);
  const auto savings = would_free(outlook);
  if (soon && !savings.empty()) page.row("", savings);
}

void put_mirror(Page& page, const Status::Mirror& mirror) {
  page.row("Mirror", base::counted(mirror.files, "file") + ", " + base::human_size(mirror.bytes) + "; " +
                         base::human_size(mirror.free) + " free; generation " +
                         (mirror.generation ? std::to_string(*mirror.generation) : "not known"));
  page.row("", base::printable(mirror.directory));
  if (mirror.outlook) put_outlook(page, *mirror.outlook);
  if (mirror.quarantined > 0)
    page.row("", base::counted(mirror.quarantined, "file") + " in the quarantine, " +
                     base::human_size(mirror.quarantined_bytes));
}

/// A problem says it in the same words, and what to do about it.
bool is_problem(const LastCycleStatus& cycle, const std::vector<ProblemStatus>& problems) {
  return std::ranges::any_of(problems, [&cycle](const ProblemStatus& problem) {
    const auto code = core::problem_code(problem.code);
    return code && is_said_of(cycle, *code);
  });
}

void put_last_cycle(Page& page, const Status& status, const ReaderClock& clock) {
  const auto& cycle = status.last_cycle;
  if (!cycle) return page.row("Last", "no cycle yet");
  const auto text = std::string(core::name(cycle->outcome)) + ' ' + clock.at(cycle->finished) + " (" +
                    clock.away(cycle->finished) + "), took " + took_words(cycle->finished - cycle->started) + ": " +
                    gain_words(cycle->outcome, cycle->files, cycle->bytes);
  page.row("Last", text, cycle->outcome == core::Outcome::complete ? Tone::plain : Tone::alarm);
  if (!cycle->error.empty() && !is_problem(*cycle, status.problems))
    page.row("", base::printable(cycle->error, longest_message));
}

void put_downloads(Page& page, const std::optional<CycleStatus>& cycle, bool utf8) {
  if (!cycle || cycle->downloads.empty()) return;
  page.blank();
  for (const auto& line : download_lines(cycle->downloads, page.width(), utf8)) page.line(line);
  const auto waiting = cycle->files - cycle->done - std::ssize(cycle->downloads);
  if (waiting > 0) page.line('+' + std::to_string(waiting) + " waiting");
  page.blank();
}

void put_problems(Page& page, const std::vector<ProblemStatus>& problems, const ReaderClock& clock) {
  if (problems.empty()) return page.row("Problems", "none");
  std::string label = "Problems";
  for (const auto& problem : by_urgency(problems)) {
    const auto what = base::printable(problem.message, longest_message);
    page.row(label, base::printable(problem.code) + ": " + what, Tone::alarm);
    const auto next = problem.next_try ? "; next try " + clock.at(*problem.next_try) : "";
    page.row("", "since " + clock.at(problem.since) + " (" + clock.away(problem.since) + ')' + next);
    page.row("",
             "-> " + (problem.advice.empty() ? std::string(remedy(problem.code)) : base::printable(problem.advice)));
    label.clear();
  }
}

void put_consumers(Page& page, const std::vector<ConsumerStatus>& consumers, base::Time now) {
  std::string label = "Consumers";
  for (const auto& consumer : consumers) {
    const auto through = consumer.through ? "loaded through " + base::iso8601(*consumer.through) : "nothing loaded";
    page.row(label, base::printable(consumer.name) + ": " + through + "; " + lag_of(consumer, now));
    label.clear();
  }
}

const ProblemStatus* find(const Status& status, core::ProblemCode code) {
  const auto found = std::ranges::find(status.problems, core::name(code), &ProblemStatus::code);
  return found == status.problems.end() ? nullptr : &*found;
}

/// No day counts for a secret that the issuer refuses: an estimate may be years away.
void put_secret(Page& page, const Status& status, const ReaderClock& clock) {
  const auto& secret = status.secret;
  if (const auto* refused = find(status, core::ProblemCode::secret_refused))
    return page.row("Secret", "refused by the issuer since " + clock.at(refused->since), Tone::alarm);
  if (!secret.expires_on) return page.row("Secret", "expiry unknown");
  const bool over = secret.days_left.value_or(0) < 0;
  auto text = (over ? "expired " : "expires ") + base::iso8601(*secret.expires_on) + " (" +
              clock.away(*secret.expires_on) + ')';
  if (secret.estimated) text += "; estimated: set credentials.secret_expires_on";
  page.row("Secret", text, over ? Tone::alarm : Tone::plain);
}

void put_api_key(Page& page, const Status& status, const ReaderClock& clock) {
  const auto& key = status.api_key;
  auto text = key.last_used ? "last used " + clock.at(*key.last_used) : "not used yet";
  if (const auto* refused = find(status, core::ProblemCode::key_revoked))
    return page.row("API key", text + "; refused by the service since " + clock.at(refused->since), Tone::alarm);
  if (key.revoked_after) text += "; revoked by the service unless used before " + clock.at(*key.revoked_after);
  page.row("API key", text);
}

}  // namespace

ProblemStatus problem_status(const core::Problem& problem, const std::optional<base::Time>& next_wake) {
  ProblemStatus status;
  status.code = core::name(problem.code);
  status.since = problem.since;
  status.message = sentence(problem);
  status.advice = remedy(problem);
  status.severity = core::severity(problem.code);
  status.subject = problem.cause.subject;
  if (is_tried_by_cycle(problem)) status.next_try = next_wake;
  return status;
}

std::string status_headline(const Status& status, base::Time now, const TableLook& look) {
  auto text = state_words_of(status, now, look);
  if (!status.problems.empty()) text += "; " + base::counted(std::ssize(status.problems), "problem");
  return text;
}

std::string wake_words(const Status& status, base::Time now, const TableLook& look) {
  if (!status.next_wake) return {};
  const auto wake = ReaderClock(now, look).at(*status.next_wake);
  return status.state == core::State::waiting ? waits_for(status) + "; next try " + wake : "next wake-up " + wake;
}

std::string status_table(const Status& status, base::Time now, const TableLook& look) {
  const ReaderClock clock(now, look);
  Page page(static_cast<std::size_t>(std::max(look.width, 0)), look.colour);
  page.text(status_headline(status, now, look), status.problems.empty() ? Tone::strong : Tone::alarm);
  page.blank();
  put_chain(page, status.chain, clock);
  put_mirror(page, status.mirror);
  put_last_cycle(page, status, clock);
  put_downloads(page, status.cycle, look.utf8);
  if (status.verification) page.row("Verifying", progress_words(*status.verification) + ", as was asked");
  put_consumers(page, status.consumers, now);
  put_problems(page, status.problems, clock);
  put_secret(page, status, clock);
  put_api_key(page, status, clock);
  return page.all();
}

}  // namespace vtmirror::report
