// A program that is run to its end: its output is passed on as it comes, and it ends with its time or the stop signal.
// Promises that its whole group is gone after a timeout or a stop, and that no zombie is left. Never blocks the loop.
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
  /// How long it may go on after the stop signal. Then it is asked to end (SIGTERM), and `grace` later it is ended.
  std::chrono::milliseconds patience{0};
  std::chrono::milliseconds grace = std::chrono::seconds(2);
};

struct Ended {
  int status = 0;          ///< the exit status; of no meaning when a signal ended it
  int signal = 0;          ///< that ended it; 0: none
  bool timed_out = false;  ///< and was ended for it
  base::Milliseconds took{};
  friend bool operator==(const Ended&, const Ended&) = default;
};

/// "exit status 3", "signal 9 (Killed)", "no end after 1h 00m: ended"
std::string words(const Ended& ended, const Limits& limits);

/// What the program writes, in pieces of any size.
using TakeOutput = std::function<void(std::string_view)>;

/// `unless_running`: a variable of the environment; when a process that was started with it still runs, nothing is
/// started, and the error is `locked`. Errors: io (it cannot be started), cancelled (the stop signal ended it).
boost::asio::awaitable<base::Result<Ended>> run(Parts parts, Program program, Limits limits,
                                                std::optional<std::string> unless_running, TakeOutput take);

}  // namespace vtmirror::notify
