// The daemon's event stream (GET /v1/events, server-sent events), read one event at a time.
#pragma once

#include "vtmirror/client/control_client.hpp"

#include <chrono>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace vtmirror::client {

class ControlConnection;

struct DaemonEvent {
  std::string name;  ///< "status", "journal", "cycle"
  std::string json;
  friend bool operator==(const DaemonEvent&, const DaemonEvent&) = default;
};

/// Parses server-sent events from text that may be split anywhere. Comments and unknown fields are skipped.
class EventText {
 public:
  void feed(std::string_view text);
  std::optional<DaemonEvent> take();
  std::size_t unfinished_bytes() const { return line_.size() + event_.json.size(); }

 private:
  void end_line();

  std::string line_;
  DaemonEvent event_;
  bool has_json_ = false;
  std::deque<DaemonEvent> ready_;
};

class EventStream {
 public:
  /// Errors: those of `ask`.
  static base::Result<EventStream> open(const std::string& socket, std::chrono::milliseconds timeout = control_timeout);
  ~EventStream();
  EventStream(EventStream&&) noexcept;
  EventStream& operator=(EventStream&&) noexcept;

  /// The next event, or nothing if none arrived in time. `interrupt` (or -1) is a descriptor that ends the wait when it
  /// becomes readable. Errors: cancelled, for an interrupt; unreachable if the daemon closed the stream; protocol.
  base::Result<std::optional<DaemonEvent>> next(std::chrono::milliseconds timeout, int interrupt = -1);

 private:
  explicit EventStream(std::unique_ptr<ControlConnection> connection);

  std::unique_ptr<ControlConnection> connection_;
  EventText text_;
};

}  // namespace vtmirror::client
