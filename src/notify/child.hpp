// Runs a program to its end, and passes its output on as it arrives. A timeout or the stop signal ends it.
// Promises that its whole process group is gone after a timeout or a stop, and that no zombie is left. Never blocks the
// loop. Also what its environment is made of.
#pragma once

#include "notify/spawn.hpp"
#include "vtmirror/core/notice.hpp"
#include "vtmirror/notify/channels.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace vtmirror::notify {

struct Limits {
  std::chrono::milliseconds timeout{};
  /// How long it may continue after the stop signal. Then it gets SIGTERM, and `grace` later SIGKILL.
  std::chrono::milliseconds patience{0};
  std::chrono::milliseconds grace = std::chrono::seconds(2);
};

struct Ended {
  int status = 0;          ///< the exit status; meaningless if a signal ended it
  int signal = 0;          ///< the signal that ended it; 0: none
  bool timed_out = false;  ///< it ran into the timeout and was terminated
  base::Milliseconds took{};
  friend bool operator==(const Ended&, const Ended&) = default;
};

/// Such as "exit status 3", "signal 9 (Killed)", "timed out after 1h 00m and was terminated".
std::string words(const Ended& ended, const Limits& limits);

/// Called with the program's output, in pieces of any size.
using OnOutput = std::function<void(std::string_view)>;

/// `unless_running` is an environment variable: if a process that was started with it still runs, nothing is started
/// and the error is `locked`. Errors: io (it cannot be started), cancelled (the stop signal ended it).
boost::asio::awaitable<base::Result<Ended>> run(Resources resources, Program program, Limits limits,
                                                std::optional<std::string> unless_running, OnOutput on_output);

/// Ends when the descriptor is readable, or at its end; false if the wait was cancelled. Reads nothing.
boost::asio::awaitable<bool> until_readable(boost::asio::posix::stream_descriptor& descriptor);

// A notice as environment variables, and the environment of child processes.

/// This process's environment without the variables meant only for it: those for credentials, those for notifying
/// systemd, and every VTMIRROR_* except VTMIRROR_CONFIG.
std::vector<std::string> inherited_variables();

/// VTMIRROR_ID, _EVENT, _CODE, _LEVEL, _STAGE, _AT, _MESSAGE, and one for each field: VTMIRROR_FILE, _GENERATION, ...
std::vector<std::string> variables(const core::Notice& notice);

}  // namespace vtmirror::notify
