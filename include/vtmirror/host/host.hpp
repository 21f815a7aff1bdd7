// The machine, one factory each: clock, dice, time zones, the journal on stderr and systemd's, and systemd as the
// supervisor.
// Never requires systemd: without it, the supervisor's messages are dropped.
#pragma once

#include "vtmirror/base/result.hpp"
#include "vtmirror/core/schedule.hpp"
#include "vtmirror/ports/clock.hpp"
#include "vtmirror/ports/journal.hpp"
#include "vtmirror/ports/supervisor.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace vtmirror::host {

/// Both are borrowed. `stop` must outlive `loop`, because the loop destroys the waits that never ended, and these
/// unregister from `stop`.
std::unique_ptr<ports::Clock> make_clock(boost::asio::io_context& loop, ports::Stop& stop);
std::unique_ptr<ports::Dice> make_dice();

enum class Colour { automatic, always, never };
/// Breaks a line that begins behind `before` columns.
using LineBreaks = std::function<std::string(std::string_view line, std::size_t before)>;
/// For people: time, level and message on stderr, coloured on a terminal. Events below `least` are dropped. Without
/// `breaks` an event is one line.
std::unique_ptr<ports::Journal> make_terminal_journal(ports::Level least, Colour colour, LineBreaks breaks = {});

/// A time zone of the system's database, including its rules for the far future.
/// Never reads the clock, and ignores TZ: the zone is always the named one.
/// Reads the zone's rules again if its file was replaced; zones that were loaded before keep theirs. `iana_name`:
/// "Europe/London". Errors: config, for a name that is not in the system's database.
base::Result<std::unique_ptr<core::Zone>> load_zone(const std::string& iana_name);

// systemd as the supervisor, through sd_notify, and the watchdog messages that the daemon's own loop sends.
// Without systemd, when NOTIFY_SOCKET is not in the environment, nothing is sent.

/// Reads NOTIFY_SOCKET, WATCHDOG_USEC and WATCHDOG_PID from the environment and leaves them there: a service's unit
/// excludes child processes with NotifyAccess=main.
std::unique_ptr<ports::Supervisor> make_supervisor();

/// Sends `alive` now and at each half of the watchdog interval, until the clock's stop; ends at once without a
/// watchdog. It runs on the loop that it reports on, so that a loop that hangs sends nothing.
boost::asio::awaitable<void> keep_alive(ports::Supervisor& supervisor, ports::Clock& clock);

// The system's journal: each event is an entry with its level, the fixed id of its kind, and its fields as VTMIRROR_*.
// Never writes what `base::printable` would hide.

/// Events below `least` are dropped. If the journal refuses an entry, its message goes to stderr.
std::unique_ptr<ports::Journal> make_journald_journal(ports::Level least);

/// Whether stderr is connected to the journal, as in a service that systemd has started: then events are sent to the
/// journal directly.
bool stderr_is_the_journal();

}  // namespace vtmirror::host
