// The pause of a start that a full disk refuses before there is a catalogue to answer from.
// Promises that the process reports once why it waits (journal, supervisor, notification channels), that it remains
// alive for its supervisor, and that a signal ends the wait. Used while the process has no other thread.
#pragma once

#include "vtmirror/base/result.hpp"
#include "vtmirror/base/time.hpp"
#include "vtmirror/core/notice.hpp"
#include "vtmirror/core/problem.hpp"
#include "vtmirror/ports/journal.hpp"
#include "vtmirror/ports/supervisor.hpp"

#include <functional>
#include <optional>
#include <utility>

namespace vtmirror::wiring {

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
