#include "report/json_value.hpp"

#include <array>
#include <string_view>
#include <utility>

namespace vtmirror::report {
namespace {

using base::JsonObject;
using boost::json::object;
using boost::json::value;

object object_of(const DownloadStatus& download) {
  return {{"name", download.name},
          {"size", download.size},
          {"received", download.received},
          {"rate", download.rate},
          {"connections", download.connections},
          {"attempt", download.attempt}};
}

value value_of(const std::optional<ports::Asking>& asking) {
  if (!asking) return nullptr;
  return object{{"since", base::iso8601(asking->since)},
                {"until", text_or_null(asking->until)},
                {"reason", text_or_null(asking->reason)}};
}

constexpr std::array step_names{std::pair{ports::Step::listing, std::string_view("listing")},
                                std::pair{ports::Step::comparing, std::string_view("comparing")},
                                std::pair{ports::Step::downloading, std::string_view("downloading")}};

std::string_view name(ports::Step step) {
  for (const auto& [each, word] : step_names)
    if (each == step) return word;
  return {};
}

}  // namespace

boost::json::object cycle_object(const CycleStatus& cycle) {
  object result{{"started", base::iso8601(cycle.started)},
                {"step", name(cycle.step)},
                {"asking", value_of(cycle.asking)},
                {"files", cycle.files},
                {"done", cycle.done},
                {"published", cycle.published},
                {"bytes", cycle.bytes},
                {"received", cycle.received},
                {"fetched", cycle.fetched},
                {"rate", cycle.rate},
                {"eta", nullptr}};
  if (cycle.eta) result["eta"] = std::int64_t{cycle.eta->count()};
  auto& downloads = result["downloads"].emplace_array();
  for (const auto& download : cycle.downloads) downloads.emplace_back(object_of(download));
  return result;
}

namespace {

DownloadStatus download_of(const JsonObject& fields) {
  DownloadStatus download;
  download.name = fields.text("name");
  download.size = fields.integer("size");
  download.received = fields.integer("received");
  download.rate = fields.integer("rate");
  download.connections = fields.count("connections");
  download.attempt = fields.count("attempt");
  return download;
}

/// A step that is not known here has files to show, or none.
ports::Step step_of(std::string_view word) {
  for (const auto& [step, name] : step_names)
    if (name == word) return step;
  return ports::Step::downloading;
}

ports::Asking asking_of(const JsonObject& fields) {
  return {.since = fields.time("since"),
          .until = fields.optional_time("until"),
          .reason = std::string(fields.optional_text("reason").value_or(""))};
}

}  // namespace

CycleStatus parse_cycle(const base::JsonObject& fields) {
  CycleStatus cycle;
  cycle.started = fields.time("started");
  cycle.files = fields.count("files");
  cycle.done = fields.count("done");
  cycle.bytes = fields.integer("bytes");
  cycle.received = fields.integer("received");
  cycle.rate = fields.integer("rate");
  if (const auto seconds = fields.optional_integer("eta")) cycle.eta = std::chrono::seconds(*seconds);
  // An older daemon sends none of these.
  cycle.published = static_cast<int>(fields.optional_integer("published").value_or(cycle.done));
  cycle.fetched = fields.optional_integer("fetched").value_or(cycle.received);
  const bool asks = cycle.files == 0;
  cycle.step = step_of(fields.optional_text("step").value_or(asks ? "listing" : "downloading"));
  if (const auto asking = fields.optional_object("asking")) cycle.asking = asking_of(*asking);
  for (const auto& download : fields.objects("downloads")) cycle.downloads.push_back(download_of(download));
  return cycle;
}

}  // namespace vtmirror::report
