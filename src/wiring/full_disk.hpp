// What a start does that a full disk refuses: it is repeated after a pause instead of ending the daemon. A step that is
// refused while the daemon answers already, and a start that is refused before there is a catalogue to answer from.
// Promises that a process which cannot answer yet reports once why it waits (journal, supervisor, notification
// channels), that it remains alive for its supervisor, and that a signal ends its wait.
#pragma once

#include "vtmirror/base/result.hpp"
#include "vtmirror/base/time.hpp"
#include "vtmirror/core/notice.hpp"
#include "vtmirror/core/problem.hpp"
#include "vtmirror/ports/journal.hpp"
#include "vtmirror/ports/supervisor.hpp"

#include <boost/asio/awaitable.hpp>

#include <functional>
#include <optional>
#include <utility>

namespace vtmirror::wiring {

/// The pause between two tries.
inline constexpr base::Milliseconds full_disk_pause = std::chrono::minutes(1);

/// Repeats the step while it ends in `no_space`, each time after a pause; `refused` is called with each such end before
/// it. The step must be one that can be repeated. Returns its other ends, or the pause's error.
boost::asio::awaitable<base::Result<void>> repeat_while_full(
    std::function<boost::asio::awaitable<base::Result<void>>()> step, std::function<void(const base::Error&)> refused,
    std::function<boost::asio::awaitable<base::Result<void>>()> pause);

/// Before there is a catalogue to answer from. Used while the process has no other thread.
class StartPause {
 public:
  /// `send` has the notice delivered before it returns; SIGINT and SIGTERM are pending and not delivered meanwhile.
  StartPause(ports::Journal& journal, ports::Supervisor& supervisor, std::function<void(core::Notice)> send)
      : journal_(journal), supervisor_(supervisor), send_(std::move(send)) {}

  /// Returns the signal that asks the process to end (SIGINT, SIGTERM), or 0 when the pause is over. SIGHUP ends it
  /// too.
  int wait(const base::Error& refused, base::Milliseconds pause);
  /// What the start has waited for so far, if it had to. The daemon that starts then reports its end.
  const std::optional<core::Problem>& waited_for() const { return problem_; }

 private:
  ports::Journal& journal_;
  ports::Supervisor& supervisor_;
  std::function<void(core::Notice)> send_;
  std::optional<core::Problem> problem_;  ///< the newest; empty: there was no pause
};

}  // namespace vtmirror::wiring
