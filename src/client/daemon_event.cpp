#include "vtmirror/client/daemon_event.hpp"

#include "vtmirror/base/json.hpp"

#include <array>
#include <string>

namespace vtmirror::client {
namespace {

struct LevelWord {
  std::string_view text;
  ports::Level level;
};
constexpr std::array level_words{LevelWord{"debug", ports::Level::debug}, LevelWord{"info", ports::Level::info},
                                 LevelWord{"notice", ports::Level::notice}, LevelWord{"warning", ports::Level::warning},
                                 LevelWord{"error", ports::Level::error}};

std::optional<ports::Level> level_of(std::string_view word) {
  for (const auto& each : level_words) {
    if (each.text == word) return each.level;
  }
  return std::nullopt;
}

ports::EventKind kind_of(std::string_view word) {
  for (int number = 0; number <= static_cast<int>(ports::EventKind::settings_read); ++number) {
    const auto kind = static_cast<ports::EventKind>(number);
    if (ports::name(kind) == word) return kind;
  }
  return ports::EventKind::listed;
}

}  // namespace

std::optional<ports::Event> journal_event(std::string_view json) {
  const auto document = base::parse_json_object(json);
  if (!document) return std::nullopt;
  const base::JsonObject event(*document);
  const auto level = level_of(event.text("level"));
  const auto message = event.text("message");
  if (!level || message.empty()) return std::nullopt;
  return ports::Event{kind_of(event.text("kind")), *level, std::string(message)};
}

std::int64_t cycle_number(std::string_view json) {
  const auto document = base::parse_json_object(json);
  return document ? base::JsonObject(*document).integer("cycle") : 0;
}

ports::CycleProgress progress_of(const report::CycleStatus& cycle) {
  using Phase = ports::DownloadProgress::Phase;
  ports::CycleProgress progress{cycle.started, cycle.files, cycle.done, cycle.bytes, cycle.received, {}};
  for (const auto& download : cycle.downloads) {
    auto& line = progress.downloads.emplace_back();
    line.name = download.name;
    line.size = download.size;
    line.received = download.received;
    line.connections = download.connections;
    line.attempt = download.attempt;
    line.phase = download.connections > 0 ? Phase::fetching : Phase::waiting;
    if (download.received >= download.size) line.phase = Phase::checking;
  }
  return progress;
}

report::Rates rates_of(const report::CycleStatus& cycle) {
  report::Rates rates{static_cast<double>(cycle.rate), {}};
  for (const auto& download : cycle.downloads) rates.files[download.name] = static_cast<double>(download.rate);
  return rates;
}

}  // namespace vtmirror::client
