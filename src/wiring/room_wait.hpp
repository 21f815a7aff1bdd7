// The start of a daemon that waits for room on a disk, while its socket answers already: the problem, and when it is
// tried again, which a request for a cycle brings forward. Used on the loop's thread only.
#pragma once

#include "vtmirror/base/result.hpp"
#include "vtmirror/base/time.hpp"
#include "vtmirror/core/problem.hpp"
#include "vtmirror/ports/clock.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include <optional>

namespace vtmirror::wiring {

/// How long a person waits for the end of a try.
inline constexpr base::Milliseconds longest_try = std::chrono::seconds(2);

class RoomWait {
 public:
  /// `stop` must outlive this.
  RoomWait(boost::asio::io_context& loop, ports::Stop& stop);

  /// Empty: the start has never been refused, or is over.
  const std::optional<core::Problem>& problem() const { return problem_; }
  /// Empty while the start is tried, and without a problem.
  const std::optional<base::Time>& next_try() const { return next_try_; }

  /// The start waited before this process could answer; it is tried now.
  void note(const core::Problem& problem) { problem_ = problem; }
  /// The try that runs was refused. `pause` follows.
  void refused(const base::Error& error, base::Time now);
  /// The daemon has started. Returns the problem, if there was one.
  std::optional<core::Problem> over();

  /// The daemon's side: returns when the next try is due. Errors: cancelled, at a stop.
  boost::asio::awaitable<base::Result<void>> pause();
  /// A person's side: ends the pause, and returns when that try has been refused or was not within `longest_try`.
  /// Returns at once if the start has never been refused, or is over.
  boost::asio::awaitable<void> try_now();

 private:
  std::optional<core::Problem> problem_;
  std::optional<base::Time> next_try_;
  ports::Stop& stop_;
  boost::asio::steady_timer pause_;
  boost::asio::steady_timer tried_;
  int waiting_ = 0;  ///< for the end of the try
  ports::Stop::Registration at_stop_;
};

}  // namespace vtmirror::wiring
