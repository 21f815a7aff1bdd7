// Runs a program to its end, and passes its output on as it arrives. A timeout or the stop signal ends it.
// Promises that its whole process group is gone after a timeout or a stop, and that no zombie is left. Never blocks the
// loop.
#pragma once

#include "notify/spawn.hpp"
#include "vtmirror/notify/channels.hpp"

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

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
using TakeOutput = std::function<void(std::string_view)>;

/// `unless_running` is an environment variable: if a process that was started with it still runs, nothing is started
/// and the error is `locked`. Errors: io (it cannot be started), cancelled (the stop signal ended it).
boost::asio::awaitable<base::Result<Ended>> run(Parts parts, Program program, Limits limits,
                                                std::optional<std::string> unless_running, TakeOutput take);

}  // namespace vtmirror::notify
