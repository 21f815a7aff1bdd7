// The one place where a wait is raced against its time limit, the stop signal and its owner's close.
// Promises to distinguish `timed_out` from `cancelled`. Never destroys the waiting operation: it calls a function that
// ends the wait, and the waiter cleans up.
#pragma once

#include "vtmirror/base/result.hpp"
#include "vtmirror/ports/stop.hpp"

#include <boost/asio/any_io_executor.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>

namespace vtmirror::net {

/// Guards one wait at a time: `arm`, wait, `disarm`. The timer is reset only when necessary, so that a wait costs no
/// system call.
class Deadline {
 public:
  using Clock = std::chrono::steady_clock;

  Deadline(const boost::asio::any_io_executor& executor, ports::Stop& stop);
  ~Deadline();
  Deadline(const Deadline&) = delete;
  Deadline& operator=(const Deadline&) = delete;

  /// Calls `end_wait` once when `until` passes, the stop is requested or the owner cancels; it must only post. Returns
  /// `cancelled` if one of the latter two happened before.
  std::optional<base::Errc> arm(Clock::time_point until, std::function<void()> end_wait);
  /// Why the wait was ended; nothing if it ended by itself. `failed` says whether the wait reported an error.
  std::optional<base::Errc> disarm(bool failed);

  /// Ends the wait, and every later one until `renew`, with `cancelled`.
  void cancel();
  void renew() noexcept;
  /// From now on the stop ends no wait, so that the current exchange is finished.
  void outlast_stop() noexcept;
  bool cancelled() const noexcept;
  /// Cancels the timer, so that an idle owner does not keep the event loop running.
  void rest();

 private:
  struct State;
  std::shared_ptr<State> state_;  // outlived by nothing but a timer's handler that is already queued
  ports::Stop& stop_;
  ports::Stop::Registration registration_;
};

}  // namespace vtmirror::net
