// The first and the last line that a daemon logs: its version, its mirror, and the signal that stopped it. Pure.
#pragma once

#include "vtmirror/ports/journal.hpp"
#include "vtmirror/report/status.hpp"

namespace vtmirror::wiring {

/// "vtmirror 0.2.0 started: 12 files in /var/lib/vtmirror/mirror". Without a number if that is not known yet.
ports::Event daemon_started(const report::Status& status);

/// "vtmirror 0.2.0 stopped by SIGTERM". `signal`: SIGTERM or SIGINT.
ports::Event daemon_stopped(int signal);

}  // namespace vtmirror::wiring
