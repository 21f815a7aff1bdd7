#include "vtmirror/report/history.hpp"

#include "report/json_value.hpp"
#include "vtmirror/base/json.hpp"
#include "vtmirror/base/text.hpp"
#include "vtmirror/report/advice.hpp"
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
               {"TOOK", Align::right},
               {"OUTCOME"},
               {"FILES", Align::right},
               {"BYTES", Align::right},
               {"RATE", Align::right},
               {"REASON"}});
  const auto rows = rows_of(cycles, look);
  for (std::size_t i = 0; i < cycles.size(); ++i) {
    const auto& row = rows[i];
    const auto known = rate(row);
    const bool was_cut = row.outcome.empty();
    table.add({std::to_string(cycles[i].id), local_time(cycles[i].started, look.utc_offset),
               row.took ? base::human_duration(std::chrono::round<std::chrono::seconds>(*row.took)) : "",
               was_cut ? "unfinished" : std::string(row.outcome), row.counted ? std::to_string(row.files) : "",
               row.counted ? base::human_size(row.bytes) : "",
               known && row.bytes > 0 ? base::human_size(*known) + "/s" : "",
               was_cut ? "its end was not recorded: killed, a power cut, or a catalogue that could not be written"
                       : sentence(cycles[i].failure)});
  }
  return table.flowing_text(width);
}

std::string history_json(const std::vector<CycleRecord>& cycles, const HistoryLook& look) {
  const auto rows = rows_of(cycles, look);
  boost::json::array array;
  for (std::size_t i = 0; i < cycles.size(); ++i) array.push_back(object_of(cycles[i], rows[i]));
  return list_answer("cycles", std::move(array));
}

namespace {

std::string done_of(std::string_view outcome, int files, std::int64_t bytes, base::Milliseconds length,
                    const std::string& awaited) {
  const bool complete = outcome == core::name(core::Outcome::complete);
  if (complete && files == 0 && !awaited.empty()) return up_to_date(awaited);
  const auto took = base::human_duration(std::chrono::round<std::chrono::seconds>(length));
  std::string text(outcome);
  if (complete && files == 0) {
    text += ": nothing new (" + took + ')';
  } else {
    text += ": " + base::counted(files, "file") + ", " + base::human_size(bytes) + " in " + took;
  }
  if (bytes > 0 && length.count() > 0)
    text += ", " + base::human_size(static_cast<std::int64_t>(average_rate(bytes, length))) + "/s";
  if (complete && !awaited.empty()) text += "; " + awaited;
  return text;
}

/// What the journal says of each entry or file, in a line of its own.
bool has_its_line(const core::Failure& failure) {
  return failure.kind == core::FailureKind::refused_entry || failure.kind == core::FailureKind::damaged;
}

std::string next_step(std::string_view what_to_do) { return what_to_do.empty() ? "" : "; " + std::string(what_to_do); }

}  // namespace

double average_rate(std::int64_t bytes, base::Milliseconds took) noexcept {
  return took.count() <= 0 ? 0 : static_cast<double>(bytes) * 1000 / static_cast<double>(took.count());
}

std::string not_listed_yet(const std::optional<base::Date>& day) {
  if (!day || !day->ok()) return "today's delta is not listed yet";
  return "today's delta (" + day_words(*day) + ") is not listed yet";
}

std::string up_to_date(const std::string& awaited) { return "up to date with the listing; " + awaited; }

LastCycleStatus last_cycle_of(const core::CycleRecord& cycle) {
  LastCycleStatus last{.started = cycle.started,
                       .finished = cycle.finished.value_or(cycle.started),
                       .outcome = std::string(core::name(cycle.outcome)),
                       .files = cycle.files,
                       .bytes = cycle.bytes,
                       .error = sentence(cycle.failure)};
  if (!cycle.failure || core::is_stop(*cycle.failure)) return last;
  last.code = cycle.failure->cause.code;
  last.service_code = core::text(cycle.failure->cause, "service_code");
  last.problem = core::problem_of(*cycle.failure);
  last.advice = advice(cycle.failure->cause);
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

std::string summary(const core::CycleReport& report, const std::string& awaited) {
  const auto failure = core::failure(report);
  const bool stopped = failure && core::is_stop(*failure);
  auto text =
      done_of(stopped ? "stopped" : core::name(report.outcome), report.files, report.bytes, report.took, awaited);
  if (report.refused > 0) text += ", " + std::to_string(report.refused) + " refused";
  const auto quarantined = std::ranges::count(report.failures, core::FailureKind::damaged, &core::Failure::kind);
  if (quarantined > 0) text += ", " + std::to_string(quarantined) + " quarantined";
  if (!failure) return text;
  if (stopped) return text + "; the next cycle resumes where it stopped";
  if (!has_its_line(*failure)) text += "; " + sentence(*failure);
  return text + next_step(advice(failure->cause));
}

std::string removals(const core::CycleReport& report) {
  if (report.removed == 0) return {};
  return "removed " + base::counted(report.removed, "file") + " of older chains, " +
         base::human_size(report.removed_bytes) + "; " + (report.removed == 1 ? "its" : "their") +
         " bytes stay in .vtmirror/held for 24 hours";
}

std::string summary(const LastCycleStatus& cycle, const std::string& awaited) {
  auto text = done_of(cycle.outcome, cycle.files, cycle.bytes, cycle.finished - cycle.started, awaited);
  if (!cycle.error.empty()) text += "; " + cycle.error;
  if (!cycle.advice.empty()) return text + next_step(cycle.advice);
  return cycle.code ? text + next_step(advice(*cycle.code, cycle.service_code)) : text;
}

namespace {

using core::Change;
using core::ChangeKind;

core::FileEdition edition_of(const base::JsonObject& object) {
  return {.date = object.date("date"),
          .size = object.integer("size"),
          .sha256 = std::string(object.optional_text("sha256").value_or(""))};
}

/// Empty if a member is missing or has the wrong type.
std::optional<Change> change_of(const boost::json::value& value) {
  const base::JsonObject change(value);
  const auto kind = core::change_kind(change.text("change"));
  if (kind == ChangeKind::reset) {
    Change reset{.generation = change.integer("generation"), .kind = *kind, .name = "", .at = change.time("at")};
    reset.session = change.text("session");
    return change.fault() ? std::nullopt : std::optional(reset);
  }
  Change read{change.integer("generation"), kind.value_or(ChangeKind::published), std::string(change.text("name")),
              change.time("at")};
  const auto file_kind = change.text("kind");
  read.file_kind = file_kind == core::name(core::Kind::bulk) ? core::Kind::bulk : core::Kind::delta;
  read.file = edition_of(change);
  if (const auto before = change.optional_object("before")) read.before = edition_of(*before);
  if (!kind || file_kind != core::name(read.file_kind) || change.fault()) return std::nullopt;
  return read;
}

void add(boost::json::object& object, const core::FileEdition& file) {
  object["date"] = base::iso8601(file.date);
  object["size"] = file.size;
  if (!file.sha256.empty()) object["sha256"] = file.sha256;
}

boost::json::object object_of(const Change& change) {
  if (change.kind == ChangeKind::reset)
    return {{"generation", change.generation},
            {"change", core::name(change.kind)},
            {"session", change.session},
            {"at", base::iso8601(change.at)}};
  boost::json::object object{{"generation", change.generation},
                             {"change", core::name(change.kind)},
                             {"name", change.name},
                             {"at", base::iso8601(change.at)},
                             {"kind", core::name(change.file_kind)}};
  add(object, change.file);
  object["before"] = nullptr;
  if (change.before) add(object["before"].emplace_object(), *change.before);
  return object;
}

/// `name_of` says what a file is called.
Table table_of(const std::vector<Change>& changes, const UtcOffset& offset, std::string (*name_of)(std::string_view)) {
  Table table({{"GENERATION", Align::right},
               {"CHANGE"},
               {"AT", Align::left, 4},
               {"KIND", Align::left, 1},
               {"DATE", Align::left, 3},
               {"SIZE", Align::right, 2},
               {"NAME"}});
  for (const auto& change : changes) {
    table.add({std::to_string(change.generation), std::string(core::name(change.kind)), local_time(change.at, offset),
               std::string(core::name(change.file_kind)), base::iso8601(change.file.date),
               base::human_size(change.file.size), base::printable(name_of(change.name), 1'024)});
  }
  return table;
}

}  // namespace

std::string changes_text(const std::vector<Change>& changes, std::size_t width, const UtcOffset& offset) {
  if (changes.size() == 1 && changes.front().kind == ChangeKind::reset)
    return "reset: this mirror, which is at generation " + std::to_string(changes.front().generation) +
           ", does not know what has changed since then\nload the chain again, from the bulk file: see `vtmirror "
           "coverage`\n";
  const auto whole = table_of(changes, offset, base_name);
  return whole.fits(width) ? whole.text(0) : table_of(changes, offset, title_of).narrowed(width).text(0);
}

std::string changes_json(const std::vector<Change>& changes) {
  boost::json::array array;
  for (const auto& change : changes) array.push_back(object_of(change));
  return list_answer("changes", std::move(array));
}

base::Result<std::vector<Change>> parse_changes(std::string_view json) {
  const base::Error wrong_form{base::Errc::protocol, "the daemon's answer is not a list of changes"};
  const auto document = base::parse_json(json);
  const auto* answer = document ? document->if_object() : nullptr;
  const auto* list = answer != nullptr ? answer->if_contains("changes") : nullptr;
  if (list == nullptr || !list->is_array()) return wrong_form;
  std::vector<Change> changes;
  for (const auto& element : list->get_array()) {
    auto change = change_of(element);
    if (!change) return wrong_form;
    changes.push_back(std::move(*change));
  }
  return changes;
}

}  // namespace vtmirror::report
