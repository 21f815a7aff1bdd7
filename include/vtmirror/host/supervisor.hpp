// systemd as the supervisor, through sd_notify, and the watchdog messages that the daemon's own loop sends.
// Without systemd, when NOTIFY_SOCKET is not in the environment, nothing is sent.
#pragma once

#include "vtmirror/ports/clock.hpp"
#include "vtmirror/ports/supervisor.hpp"

#include <boost/asio/awaitable.hpp>

#include <memory>

namespace vtmirror::host {

/// Reads NOTIFY_SOCKET, WATCHDOG_USEC and WATCHDOG_PID from the environment and leaves them there: a service's unit
/// excludes child processes with NotifyAccess=main.
std::unique_ptr<ports::Supervisor> make_supervisor();

/// Sends `alive` now and at each half of the watchdog interval, until the clock's stop; ends at once without a
/// watchdog. It runs on the loop that it reports on, so that a loop that hangs sends nothing.
boost::asio::awaitable<void> keep_alive(ports::Supervisor& supervisor, ports::Clock& clock);

}  // namespace vtmirror::host
