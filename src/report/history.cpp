#include "vtmirror/report/history.hpp"

#include "vtmirror/base/text.hpp"
#include "vtmirror/report/sentence.hpp"
#include "vtmirror/report/summary.hpp"
#include "vtmirror/report/table.hpp"

#include <boost/json.hpp>

#include <chrono>
#include <cstdint>

namespace vtmirror::report {
namespace {

using catalogue::CycleRecord;

std::int64_t rate(const CycleRecord& cycle) {
  return static_cast<std::int64_t>(average_rate(cycle.bytes, *cycle.finished - cycle.started));
}

boost::json::object object_of(const CycleRecord& cycle) {
  boost::json::object object{{"id", cycle.id}, {"started", base::iso8601(cycle.started)}};
  object["finished"] = nullptr;
  object["outcome"] = nullptr;
  if (cycle.finished) {
    object["finished"] = base::iso8601(*cycle.finished);
    object["outcome"] = catalogue::name(cycle.outcome);
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
               cycle.finished ? std::string(catalogue::name(cycle.outcome)) : "unfinished", std::to_string(cycle.files),
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

}  // namespace vtmirror::report
