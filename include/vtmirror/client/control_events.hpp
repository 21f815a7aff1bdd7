// The daemon's event stream (GET /v1/events, server-sent events), read one event at a time. Also what an event says.
// Blocks. Promises to return at the time limit of the call, whatever the daemon does.
#pragma once

#include "vtmirror/client/control_client.hpp"
#include "vtmirror/ports/journal.hpp"
#include "vtmirror/ports/stream_event.hpp"
#include "vtmirror/report/rate.hpp"
#include "vtmirror/report/status.hpp"

#include <chrono>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace vtmirror::client {

class ControlConnection;

struct DaemonEvent {
  std::string name;  ///< of a `ports::StreamEvent`, perhaps one that only a newer daemon knows
  std::string json;
  bool is(ports::StreamEvent event) const { return name == ports::name(event); }
  friend bool operator==(const DaemonEvent&, const DaemonEvent&) = default;
};

/// Parses server-sent events from text that may be split anywhere. Comments and unknown fields are skipped.
class EventText {
 public:
  void feed(std::string_view text);
  std::optional<DaemonEvent> next();
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
  /// A daemon sends at least a comment four times as often: one that says nothing for so long hangs.
  static constexpr std::chrono::milliseconds longest_silence = std::chrono::minutes(1);

  /// Errors: those of `ask`.
  static base::Result<EventStream> open(const std::string& socket, std::chrono::milliseconds timeout = control_timeout,
                                        std::chrono::milliseconds silence = longest_silence);
  ~EventStream();
  EventStream(EventStream&&) noexcept;
  EventStream& operator=(EventStream&&) noexcept;

  /// The next event, or nothing if none arrived in time. `interrupt` (or -1) is a descriptor that ends the wait when it
  /// becomes readable. Errors: cancelled, for an interrupt; unreachable if the daemon closed the stream or hangs;
  /// protocol.
  base::Result<std::optional<DaemonEvent>> next(std::chrono::milliseconds timeout, int interrupt = -1);

 private:
  EventStream(std::unique_ptr<ControlConnection> connection, std::chrono::milliseconds silence);

  std::unique_ptr<ControlConnection> connection_;
  std::chrono::milliseconds silence_;
  EventText text_;
};

// Converts the daemon's events to the types that show a cycle of this process. Pure.

/// The event in the JSON of `journal`. An unknown kind keeps only its level. Empty if the JSON holds no event.
std::optional<ports::Event> journal_event(std::string_view json);

/// The running cycle, as the live lines need it.
ports::CycleProgress progress_of(const report::CycleStatus& cycle);
report::Rates rates_of(const report::CycleStatus& cycle);

/// The number of the daemon's cycle in a response to POST /v1/sync or in an event `cycle`; 0 if an older daemon sends
/// none.
std::int64_t cycle_number(std::string_view json);

}  // namespace vtmirror::client
