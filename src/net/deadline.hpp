// The one place where a wait is raced against time, the stop signal and its owner's close.
// Promises to tell `timed_out` from `cancelled`. Never destroys what waits: it calls what ends the wait, and the waiter
// cleans up.
#pragma once

#include "vtmirror/base/result.hpp"
#include "vtmirror/ports/stop.hpp"

#include <boost/asio/any_io_executor.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>

namespace vtmirror::net {

/// Guards one wait at a time: `arm`, wait, `disarm`. Its timer is set anew only where it must be, so that a wait costs
/// no system call.
class Deadline {
 public:
  using Clock = std::chrono::steady_clock;

  Deadline(const boost::asio::any_io_executor& executor, ports::Stop& stop);
  ~Deadline();
  Deadline(const Deadline&) = delete;
  Deadline& operator=(const Deadline&) = delete;

  /// `end_wait` is called once when `until` passes, the stop comes or the owner cancels; it must only post. `cancelled`
  /// when that came before.
  std::optional<base::Errc> arm(Clock::time_point until, std::function<void()> end_wait);
  /// Why the wait ended; nothing where it ended by itself. `failed` is whether the wait reported an error.
  std::optional<base::Errc> disarm(bool failed);

  /// Ends the wait, and every later one until `renew`, with `cancelled`.
  void cancel();
  void renew() noexcept;
  /// From now on the stop ends no wait: what is under way must come to its end.
  void outlast_stop() noexcept;
  bool cancelled() const noexcept;
  /// Takes the timer back, so that an idle owner keeps no event loop running.
  void rest();

 private:
  struct State;
  std::shared_ptr<State> state_;  // outlived by nothing but a timer's handler that is already queued
  ports::Stop& stop_;
  ports::Stop::Registration registration_;
};

}  // namespace vtmirror::net
