// The first and the last line that a daemon logs: its version, its mirror, and the signal that stopped it. Pure.
#pragma once

#include "vtmirror/ports/journal.hpp"
#include "vtmirror/report/status.hpp"

#include <string>

namespace vtmirror::wiring {

/// "vtmirror 0.2.0 started: 12 files in /var/lib/vtmirror/mirror". Without a number if that is not known yet.
ports::Event daemon_started(const report::Status& status);

/// "the status page is at http://127.0.0.1:9465/": a warning if other machines can read it there. `address`:
/// control.web.
ports::Event page_served(const std::string& address);

/// "vtmirror 0.2.0 stopped by SIGTERM". `signal`: SIGTERM or SIGINT.
ports::Event daemon_stopped(int signal);

}  // namespace vtmirror::wiring
