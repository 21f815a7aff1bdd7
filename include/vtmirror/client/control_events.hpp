// What the daemon tells to those who follow it (GET /v1/events, server-sent events), one event at a time.
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

/// The text of server-sent events, cut anywhere, as events. Comments and unknown fields are skipped.
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
  /// Errors: as `ask`.
  static base::Result<EventStream> open(const std::string& socket, std::chrono::milliseconds timeout = control_timeout);
  ~EventStream();
  EventStream(EventStream&&) noexcept;
  EventStream& operator=(EventStream&&) noexcept;

  /// The next event, or nothing when none came in time. `interrupt` (or -1) is a descriptor that ends the wait when it
  /// can be read. Errors: cancelled, for an interrupt; unreachable, when the daemon has gone; protocol.
  base::Result<std::optional<DaemonEvent>> next(std::chrono::milliseconds timeout, int interrupt = -1);

 private:
  explicit EventStream(std::unique_ptr<ControlConnection> connection);

  std::unique_ptr<ControlConnection> connection_;
  EventText text_;
};

}  // namespace vtmirror::client
