// The pause of a start that a full disk refuses before there is a catalogue to answer from.
// Promises that the process reports why it waits (journal, supervisor), that it remains alive for its supervisor, and
// that a signal ends the wait. Used while the process has no other thread.
#pragma once

#include "vtmirror/base/result.hpp"
#include "vtmirror/base/time.hpp"
#include "vtmirror/ports/journal.hpp"
#include "vtmirror/ports/supervisor.hpp"

#include <string>

namespace vtmirror::wiring {

class StartPause {
 public:
  StartPause(ports::Journal& journal, ports::Supervisor& supervisor) : journal_(journal), supervisor_(supervisor) {}

  /// Returns the signal that asks the process to end (SIGINT, SIGTERM), or 0 when the pause is over. SIGHUP ends it
  /// too.
  int wait(const base::Error& refused, base::Milliseconds pause);
  /// The start has found room. Reports it if it had to wait.
  void over();

 private:
  ports::Journal& journal_;
  ports::Supervisor& supervisor_;
  std::string reason_;  ///< empty: there was no pause
};

}  // namespace vtmirror::wiring
