// systemd as the supervisor, through sd_notify, and the sign of life that a daemon's own loop gives it.
// Harmless without systemd: with no NOTIFY_SOCKET in the environment nothing is sent.
#pragma once

#include "vtmirror/ports/clock.hpp"
#include "vtmirror/ports/supervisor.hpp"

#include <boost/asio/awaitable.hpp>

#include <memory>

namespace vtmirror::host {

/// Reads NOTIFY_SOCKET, WATCHDOG_USEC and WATCHDOG_PID of the environment and leaves them there: a service's unit keeps
/// the children out with NotifyAccess=main.
std::unique_ptr<ports::Supervisor> make_supervisor();

/// Says `alive` now and at each half of the watchdog's time, until the clock's stop; ends at once where nobody watches.
/// It runs on the loop that it vouches for, so that a loop that hangs is told by silence.
boost::asio::awaitable<void> keep_alive(ports::Supervisor& supervisor, ports::Clock& clock);

}  // namespace vtmirror::host
