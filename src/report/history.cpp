#include "vtmirror/report/history.hpp"

#include "report/json_value.hpp"
#include "vtmirror/base/text.hpp"
#include "vtmirror/report/advice.hpp"
#include "vtmirror/report/problem_facts.hpp"
#include "vtmirror/report/sentence.hpp"
#include "vtmirror/report/table.hpp"

#include <boost/json.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

namespace vtmirror::report {
namespace {

using core::CycleRecord;

/// A cycle as it is shown: of the running one, with the numbers that the catalogue has only at its end.
struct Row {
  std::string_view outcome{};  ///< empty: its end was not recorded
  std::optional<base::Milliseconds> took{};
  bool counted = true;  ///< the numbers are known
  int files = 0;
  std::int64_t bytes = 0;
};

std::vector<Row> rows_of(const std::vector<CycleRecord>& cycles, const HistoryLook& look) {
  std::vector<Row> rows;
  for (const auto& cycle : cycles) {
    auto& row = rows.emplace_back();
    row.files = cycle.files;
    row.bytes = cycle.bytes;
    if (cycle.finished) {
      row.outcome = core::name(cycle.outcome);
      row.took = *cycle.finished - cycle.started;
    } else if (look.runs && rows.size() == 1) {
      row.outcome = "running";
      row.counted = look.cycle.has_value();
      if (look.cycle) row.files = look.cycle->published;
      if (look.cycle) row.bytes = look.cycle->fetched;
      if (look.now > cycle.started) row.took = look.now - cycle.started;
    }
  }
  return rows;
}

std::optional<std::int64_t> rate(const Row& row) {
  if (!row.took || !row.counted) return std::nullopt;
  return static_cast<std::int64_t>(average_rate(row.bytes, *row.took));
}

boost::json::object object_of(const CycleRecord& cycle, const Row& row) {
  boost::json::object object{{"id", cycle.id}, {"started", base::iso8601(cycle.started)}};
  object["finished"] = nullptr;
  object["outcome"] = nullptr;
  if (cycle.finished) object["finished"] = base::iso8601(*cycle.finished);
  if (!row.outcome.empty()) object["outcome"] = row.outcome;
  object["files"] = row.files;
  object["bytes"] = row.bytes;
  object["rate"] = nullptr;
  if (const auto known = rate(row)) object["rate"] = *known;
  object["error"] = nullptr;
  if (cycle.failure) object["error"] = sentence(*cycle.failure, Names::paths);
  return object;
}

}  // namespace

std::string history_text(const std::vector<CycleRecord>& cycles, std::size_t width, const HistoryLook& look) {
  Table table({{"ID", Align::right},
               {"STARTED"},
               {"TOOK", Align::right, 2},
               {"OUTCOME"},
               {"FILES", Align::right},
               {"BYTES", Align::right, 3},
               {"RATE", Align::right, 1},
               {"REASON"}});
  const auto rows = rows_of(cycles, look);
  for (std::size_t i = 0; i < cycles.size(); ++i) {
    const auto& row = rows[i];
    const auto known = rate(row);
    const bool was_cut = row.outcome.empty();
    table.add({std::to_string(cycles[i].id), local_time(cycles[i].started, look.utc_offset),
               row.took ? took_words(*row.took) : "", was_cut ? "unfinished" : std::string(row.outcome),
               row.counted ? std::to_string(row.files) : "", row.counted ? base::human_size(row.bytes) : "",
               known && row.bytes > 0 ? base::human_size(*known) + "/s" : "",
               was_cut ? "its end was not recorded: killed, a power cut, or a catalogue that could not be written"
                       : sentence(cycles[i].failure)});
  }
  return table.narrowed(width, true).flowing_text(width);
}

std::string history_json(const std::vector<CycleRecord>& cycles, const HistoryLook& look) {
  const auto rows = rows_of(cycles, look);
  boost::json::array array;
  for (std::size_t i = 0; i < cycles.size(); ++i) array.push_back(object_of(cycles[i], rows[i]));
  return list_answer("cycles", std::move(array));
}

std::string took_words(base::Milliseconds took) {
  constexpr std::int64_t a_tenth = 100;
  const auto tenths = (took.count() + a_tenth / 2) / a_tenth;
  if (took.count() <= 0) return "under 1s";
  if (tenths < 10) return "0." + std::to_string(std::max<std::int64_t>(tenths, 1)) + 's';
  return base::human_duration(std::chrono::round<std::chrono::seconds>(took));
}

std::string gain_words(core::Outcome outcome, int files, std::int64_t bytes) {
  if (files > 0) return base::counted(files, "file") + ", " + base::human_size(bytes);
  if (outcome == core::Outcome::complete) return "nothing new";
  return bytes > 0 ? "no file published, " + base::human_size(bytes) + " downloaded" : "nothing downloaded";
}

std::string gain_words(core::Outcome outcome, int files, std::int64_t bytes, base::Milliseconds took) {
  const bool is_some = files > 0 || (bytes > 0 && outcome != core::Outcome::complete);
  return gain_words(outcome, files, bytes) + (is_some ? " in " + took_words(took) : " (" + took_words(took) + ')');
}

namespace {

struct End {
  core::Outcome outcome{};
  std::string_view word;  ///< "stopped", or the outcome's name
};

std::string done_of(const End& end, int files, std::int64_t bytes, base::Milliseconds length,
                    const std::string& awaited) {
  // A cycle that was stopped is not complete, whatever it did.
  const bool complete = end.outcome == core::Outcome::complete;
  if (complete && files == 0 && !awaited.empty()) return up_to_date(awaited);
  auto text = std::string(end.word) + ": " + gain_words(end.outcome, files, bytes, length);
  if (bytes > 0 && length.count() > 0)
    text += ", " + base::human_size(static_cast<std::int64_t>(average_rate(bytes, length))) + "/s";
  if (complete && !awaited.empty()) text += "; " + awaited;
  return text;
}

/// The journal says it of each refused entry in a line of its own.
bool has_its_line(const core::Failure& failure) { return failure.kind == core::FailureKind::refused_entry; }

/// A file that was damaged twice in the words of its problem, as the status has them; also how many others have it.
std::string what_failed(const core::CycleReport& report, const core::Failure& failure) {
  const auto code = core::problem_of(failure);
  const auto more = std::ranges::count(report.failures, code, core::problem_of) - 1;
  const auto is_damage = failure.kind == core::FailureKind::damaged;
  auto text = is_damage ? sentence(core::Problem{.code = code, .cause = failure.cause}) : sentence(failure);
  return more > 0 ? text + " (and " + std::to_string(more) + " more)" : text;
}

/// What the error behind it calls for; an entry that is refused has none.
std::string advice_on(const core::Failure& failure) {
  if (failure.kind == core::FailureKind::refused_entry) return std::string(remedy(core::ProblemCode::refused_entry));
  return advice(failure.cause);
}

std::string next_step(std::string_view what_to_do) { return what_to_do.empty() ? "" : '\n' + std::string(what_to_do); }

}  // namespace

double average_rate(std::int64_t bytes, base::Milliseconds took) noexcept {
  return took.count() <= 0 ? 0 : static_cast<double>(bytes) * 1000 / static_cast<double>(took.count());
}

std::string not_listed_yet(const std::optional<base::Date>& day) {
  if (!day || !day->ok()) return "today's delta is not listed yet";
  return "today's delta (" + day_words(*day) + ") is not listed yet";
}

std::string up_to_date(const std::string& awaited) { return "up to date with the listing; " + awaited; }

namespace {

/// The JSON has one place for both.
std::string code_beside(const core::Cause& cause) {
  const auto diagnosis = core::diagnosis(cause);
  return std::string(diagnosis == base::Diagnosis::none ? core::service_code(cause) : base::name(diagnosis));
}

}  // namespace

LastCycleStatus last_cycle_of(const core::CycleRecord& cycle) {
  LastCycleStatus last{.started = cycle.started,
                       .finished = cycle.finished.value_or(cycle.started),
                       .outcome = cycle.outcome,
                       .files = cycle.files,
                       .bytes = cycle.bytes,
                       .error = sentence(cycle.failure)};
  if (!cycle.failure || core::is_stop(*cycle.failure)) return last;
  last.code = cycle.failure->cause.code;
  last.service_code = code_beside(cycle.failure->cause);
  last.problem = core::problem_of(*cycle.failure);
  last.advice = advice_on(*cycle.failure);
  return last;
}

LastCycleStatus last_cycle_of(const core::CycleReport& report, base::Time finished) {
  return last_cycle_of(core::CycleRecord{.started = finished - report.took,
                                         .finished = finished,
                                         .outcome = report.outcome,
                                         .files = report.files,
                                         .bytes = report.bytes,
                                         .failure = core::failure(report)});
}

bool is_said_of(const LastCycleStatus& cycle, core::ProblemCode code) {
  if (facts_of(code).refused == Refused::credential) return cycle.code == base::Errc::forbidden;
  return cycle.problem == code;
}

std::string summary(const core::CycleReport& report, const std::string& awaited) {
  const auto failure = core::failure(report);
  const bool stopped = failure && core::is_stop(*failure);
  const End end{report.outcome, stopped ? "stopped" : core::name(report.outcome)};
  auto text = done_of(end, report.files, report.bytes, report.took, awaited);
  if (report.refused > 0) text += ", " + std::to_string(report.refused) + " refused";
  const auto quarantined = std::ranges::count(report.failures, core::FailureKind::damaged, &core::Failure::kind);
  if (quarantined > 0) text += ", " + std::to_string(quarantined) + " quarantined";
  if (!failure) return text;
  if (stopped) return text + "; the next cycle resumes where it stopped";
  if (!has_its_line(*failure)) text += '\n' + what_failed(report, *failure);
  return text + next_step(advice_on(*failure));
}

std::string removals(const core::CycleReport& report) {
  if (report.removed == 0) return {};
  return "removed " + base::counted(report.removed, "file") + " of older chains, " +
         base::human_size(report.removed_bytes) + "; " + (report.removed == 1 ? "its" : "their") +
         " bytes stay in .vtmirror/held for 24 hours";
}

std::string summary(const LastCycleStatus& cycle, const std::string& awaited) {
  const End end{cycle.outcome, core::name(cycle.outcome)};
  auto text = done_of(end, cycle.files, cycle.bytes, cycle.finished - cycle.started, awaited);
  if (!cycle.error.empty()) text += '\n' + cycle.error;
  if (!cycle.advice.empty()) return text + next_step(cycle.advice);
  return cycle.code ? text + next_step(advice(*cycle.code, cycle.service_code)) : text;
}

}  // namespace vtmirror::report
