#include "vtmirror/report/history.hpp"

#include "vtmirror/base/json.hpp"
#include "vtmirror/base/text.hpp"
#include "vtmirror/report/advice.hpp"
#include "vtmirror/report/sentence.hpp"
#include "vtmirror/report/table.hpp"

#include <boost/json.hpp>

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

namespace vtmirror::report {
namespace {

using core::CycleRecord;

std::int64_t rate(const CycleRecord& cycle) {
  return static_cast<std::int64_t>(average_rate(cycle.bytes, *cycle.finished - cycle.started));
}

boost::json::object object_of(const CycleRecord& cycle) {
  boost::json::object object{{"id", cycle.id}, {"started", base::iso8601(cycle.started)}};
  object["finished"] = nullptr;
  object["outcome"] = nullptr;
  if (cycle.finished) {
    object["finished"] = base::iso8601(*cycle.finished);
    object["outcome"] = core::name(cycle.outcome);
  }
  object["files"] = cycle.files;
  object["bytes"] = cycle.bytes;
  object["rate"] = nullptr;
  if (cycle.finished) object["rate"] = rate(cycle);
  object["error"] = nullptr;
  if (cycle.failure) object["error"] = sentence(*cycle.failure);
  return object;
}

std::string duration(const CycleRecord& cycle) {
  if (!cycle.finished) return "";
  return base::human_duration(std::chrono::round<std::chrono::seconds>(*cycle.finished - cycle.started));
}

}  // namespace

std::string history_text(const std::vector<CycleRecord>& cycles, std::size_t width) {
  Table table({{"ID", Align::right},
               {"STARTED"},
               {"TOOK", Align::right},
               {"OUTCOME"},
               {"FILES", Align::right},
               {"BYTES", Align::right},
               {"RATE", Align::right},
               {"REASON"}});
  for (const auto& cycle : cycles) {
    const bool has_rate = cycle.finished && cycle.bytes > 0;
    table.add({std::to_string(cycle.id), base::iso8601(cycle.started), duration(cycle),
               cycle.finished ? std::string(core::name(cycle.outcome)) : "unfinished", std::to_string(cycle.files),
               base::human_size(cycle.bytes), has_rate ? base::human_size(rate(cycle)) + "/s" : "",
               sentence(cycle.failure)});
  }
  return table.flowing_text(width);
}

std::string history_json(const std::vector<CycleRecord>& cycles) {
  boost::json::array array;
  for (const auto& cycle : cycles) array.push_back(object_of(cycle));
  return boost::json::serialize(array) + '\n';
}

namespace {

std::string done_of(std::string_view outcome, int files, std::int64_t bytes, base::Milliseconds length) {
  const auto took = base::human_duration(std::chrono::round<std::chrono::seconds>(length));
  std::string text(outcome);
  if (outcome == core::name(core::Outcome::complete) && files == 0) {
    text += ": nothing new, in " + took;
  } else {
    text += ": " + base::counted(files, "file") + ", " + base::human_size(bytes) + " in " + took;
  }
  if (bytes > 0 && length.count() > 0)
    text += ", " + base::human_size(static_cast<std::int64_t>(average_rate(bytes, length))) + "/s";
  return text;
}

std::string next_step(base::Errc code, std::string_view service_code) {
  const auto what_to_do = advice(code, service_code);
  return what_to_do.empty() ? "" : "; " + std::string(what_to_do);
}

}  // namespace

double average_rate(std::int64_t bytes, base::Milliseconds took) noexcept {
  return took.count() <= 0 ? 0 : static_cast<double>(bytes) * 1000 / static_cast<double>(took.count());
}

std::string summary(const core::CycleReport& report) {
  auto text = done_of(core::name(report.outcome), report.files, report.bytes, report.took);
  if (report.refused > 0) text += ", " + std::to_string(report.refused) + " refused";
  const auto failure = core::failure(report);
  if (!failure) return text;
  text += "; " + sentence(*failure);
  // That it stopped is what was asked for.
  if (!failure->cause.code || core::is_stop(*failure)) return text;
  return text + next_step(*failure->cause.code, core::text(failure->cause, "service_code"));
}

std::string summary(const LastCycleStatus& cycle) {
  auto text = done_of(cycle.outcome, cycle.files, cycle.bytes, cycle.finished - cycle.started);
  if (!cycle.error.empty()) text += "; " + cycle.error;
  return cycle.code ? text + next_step(*cycle.code, cycle.service_code) : text;
}

namespace {

using core::Change;
using core::ChangeKind;

/// Empty if a member is missing or has the wrong type.
std::optional<Change> change_of(const boost::json::value& value) {
  const base::JsonObject change(value);
  const auto kind = core::change_kind(change.text("kind"));
  Change read{change.integer("generation"), kind.value_or(ChangeKind::published), std::string(change.text("name")),
              change.time("at")};
  if (!kind || change.fault()) return std::nullopt;
  return read;
}

}  // namespace

std::string changes_text(const std::vector<Change>& changes, std::size_t width) {
  Table table({{"GENERATION", Align::right}, {"CHANGE"}, {"AT"}, {"NAME"}});
  for (const auto& change : changes) {
    table.add({std::to_string(change.generation), std::string(core::name(change.kind)), base::iso8601(change.at),
               base::printable(base_name(change.name), 1'024)});
  }
  return table.text(width);
}

std::string changes_json(const std::vector<Change>& changes) {
  boost::json::array array;
  for (const auto& change : changes) {
    array.push_back(boost::json::object{{"generation", change.generation},
                                        {"kind", core::name(change.kind)},
                                        {"name", change.name},
                                        {"at", base::iso8601(change.at)}});
  }
  return boost::json::serialize(array) + '\n';
}

base::Result<std::vector<Change>> parse_changes(std::string_view json) {
  const base::Error wrong_form{base::Errc::protocol, "the daemon's answer is not a list of changes"};
  const auto document = base::parse_json(json);
  if (!document || !document->is_array()) return wrong_form;
  std::vector<Change> changes;
  for (const auto& element : document->get_array()) {
    auto change = change_of(element);
    if (!change) return wrong_form;
    changes.push_back(std::move(*change));
  }
  return changes;
}

}  // namespace vtmirror::report
