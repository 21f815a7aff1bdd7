#include "vtmirror/client/control_events.hpp"

#include "client/control_connection.hpp"

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

std::optional<DaemonEvent> EventText::take() {
  if (ready_.empty()) return std::nullopt;
  auto event = std::move(ready_.front());
  ready_.pop_front();
  return event;
}

EventStream::EventStream(std::unique_ptr<ControlConnection> connection) : connection_(std::move(connection)) {}
EventStream::~EventStream() = default;
EventStream::EventStream(EventStream&&) noexcept = default;
EventStream& EventStream::operator=(EventStream&&) noexcept = default;

base::Result<EventStream> EventStream::open(const std::string& socket, std::chrono::milliseconds timeout) {
  const auto deadline = std::chrono::steady_clock::now() + timeout;
  auto connection = std::make_unique<ControlConnection>(socket);
  const ControlRequest request{"GET", "/v1/events"};
  if (auto sent = connection->send(request, deadline); sent.has_error()) return sent.error();
  if (auto read = connection->read_header(deadline); read.has_error()) return read.error();
  if (connection->status() == 200) return EventStream(std::move(connection));
  if (auto read = connection->read_all(deadline); read.has_error()) return read.error();
  return refusal(connection->status(), connection->take_body());
}

base::Result<std::optional<DaemonEvent>> EventStream::next(std::chrono::milliseconds timeout, int interrupt) {
  const auto deadline = std::chrono::steady_clock::now() + timeout;
  for (;;) {
    text_.feed(connection_->take_body());
    if (auto event = text_.take()) return event;
    if (text_.unfinished_bytes() > largest_event) return base::Error{base::Errc::protocol, "an event without an end"};
    if (connection_->is_done()) return base::Error{base::Errc::unreachable, "the daemon has gone"};
    const auto read = connection_->read(deadline, interrupt);
    if (read.has_error()) return read.error();
    if (*read == ControlConnection::Read::interrupted) return base::Error{base::Errc::cancelled, "a signal"};
    if (*read == ControlConnection::Read::nothing_in_time && std::chrono::steady_clock::now() >= deadline)
      return std::optional<DaemonEvent>();
  }
}

}  // namespace vtmirror::client
