#include "vtmirror/client/control_events.hpp"

#include "client/control_connection.hpp"
#include "vtmirror/base/json.hpp"
#include "vtmirror/base/text.hpp"
#include "vtmirror/report/event.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

namespace vtmirror::client {
namespace {

/// Of one event. A status of some thousand missing files has less.
constexpr std::size_t largest_event = std::size_t{16} << 20;

std::string_view without_space(std::string_view value) {
  if (value.starts_with(' ')) value.remove_prefix(1);
  return value;
}

}  // namespace

void EventText::feed(std::string_view text) {
  for (const char c : text) {
    if (c == '\n') {
      end_line();
    } else {
      line_ += c;
    }
  }
}

void EventText::end_line() {
  if (line_.ends_with('\r')) line_.pop_back();
  const std::string line = std::exchange(line_, {});
  if (line.empty()) {
    if (has_json_) ready_.push_back(std::exchange(event_, {}));
    event_ = {};
    has_json_ = false;
    return;
  }
  const auto colon = line.find(':');
  if (colon == 0 || colon == std::string::npos) return;
  const auto value = without_space(std::string_view(line).substr(colon + 1));
  if (line.starts_with("event:")) event_.name = value;
  if (!line.starts_with("data:")) return;
  if (has_json_) event_.json += '\n';
  event_.json += value;
  has_json_ = true;
}

std::optional<DaemonEvent> EventText::next() {
  if (ready_.empty()) return std::nullopt;
  auto event = std::move(ready_.front());
  ready_.pop_front();
  return event;
}

EventStream::EventStream(std::unique_ptr<ControlConnection> connection, std::chrono::milliseconds silence)
    : connection_(std::move(connection)), silence_(silence) {}
EventStream::~EventStream() = default;
EventStream::EventStream(EventStream&&) noexcept = default;
EventStream& EventStream::operator=(EventStream&&) noexcept = default;

base::Result<EventStream> EventStream::open(const std::string& socket, std::chrono::milliseconds timeout,
                                            std::chrono::milliseconds silence) {
  const auto deadline = std::chrono::steady_clock::now() + timeout;
  auto connection = std::make_unique<ControlConnection>(socket);
  const ControlRequest request{"GET", "/v1/events"};
  if (auto sent = connection->send(request, deadline); sent.has_error()) return sent.error();
  if (auto read = connection->read_header(deadline); read.has_error()) return read.error();
  if (connection->status() == 200) return EventStream(std::move(connection), silence);
  if (auto read = connection->read_all(deadline); read.has_error()) return read.error();
  return refusal(connection->status(), connection->release_body());
}

base::Result<std::optional<DaemonEvent>> EventStream::next(std::chrono::milliseconds timeout, int interrupt) {
  using Clock = std::chrono::steady_clock;
  const auto deadline = Clock::now() + timeout;
  // From this call on: the caller may have been suspended.
  auto hangs_at = Clock::now() + silence_;
  for (;;) {
    const auto heard = connection_->release_body();
    if (!heard.empty()) hangs_at = Clock::now() + silence_;
    text_.feed(heard);
    if (auto event = text_.next()) return event;
    if (text_.unfinished_bytes() > largest_event) return base::Error{base::Errc::protocol, "an event without an end"};
    if (connection_->is_done()) return base::Error{base::Errc::unreachable, "the daemon has gone"};
    const auto read = connection_->read(std::min(deadline, hangs_at), interrupt);
    if (read.has_error()) return read.error();
    if (*read == ControlConnection::Read::interrupted) return base::Error{base::Errc::cancelled, "a signal"};
    if (*read != ControlConnection::Read::nothing_in_time) continue;
    if (Clock::now() >= deadline) return std::optional<DaemonEvent>();
    if (Clock::now() >= hangs_at)
      return base::Error{base::Errc::unreachable,
                         "the daemon hangs, and has said nothing for " +
                             base::human_duration(std::chrono::ceil<std::chrono::seconds>(silence_))};
  }
}

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
  ports::Event known{kind_of(event.text("type")), *level, std::string(message)};
  const auto problem = event.text(report::problem_member);
  if (!problem.empty()) known.fields.push_back({report::problem_member, std::string(problem)});
  return known;
}

std::int64_t cycle_number(std::string_view json) {
  const auto document = base::parse_json_object(json);
  return document ? base::JsonObject(*document).integer("cycle") : 0;
}

ports::CycleProgress progress_of(const report::CycleStatus& cycle) {
  using Phase = ports::DownloadProgress::Phase;
  ports::CycleProgress progress{.started = cycle.started,
                                .files = cycle.files,
                                .done = cycle.done,
                                .bytes = cycle.bytes,
                                .received = cycle.received,
                                .downloads = {}};
  for (const auto& download : cycle.downloads) {
    auto& line = progress.downloads.emplace_back();
    line.name = download.name;
    line.size = download.size;
    line.received = download.received;
    line.connections = download.connections;
    line.attempt = download.attempt;
    line.phase = download.received >= download.size ? Phase::checking : Phase::fetching;
  }
  // The status names only the files under way.
  const auto waiting = cycle.files - cycle.done - std::ssize(cycle.downloads);
  for (auto left = waiting; left > 0; --left) progress.downloads.emplace_back();
  progress.step = cycle.step;
  progress.asking = cycle.asking;
  return progress;
}

report::Rates rates_of(const report::CycleStatus& cycle) {
  report::Rates rates{static_cast<double>(cycle.rate), {}};
  for (const auto& download : cycle.downloads) rates.files[download.name] = static_cast<double>(download.rate);
  return rates;
}

}  // namespace vtmirror::client
