// Time and waiting, and the signal that ends every wait. Tests use a simulated clock.
// Promises that no wait outlasts the stop signal.
#pragma once

#include "vtmirror/base/time.hpp"

#include <boost/asio/awaitable.hpp>

#include <functional>
#include <list>
#include <utility>

namespace vtmirror::ports {

class Clock {
 public:
  virtual ~Clock() = default;
  virtual base::Time now() const = 0;
  virtual base::Steady steady() const = 0;
  /// Ends after `pause`, or at once with `cancelled` if the stop signal was given or is given meanwhile.
  virtual boost::asio::awaitable<base::Result<void>> wait(base::Milliseconds pause) = 0;
  /// As `wait`, for work that is due at a time and that nothing waits for: on a clock on which time passes only by
  /// waits, this one makes none pass.
  virtual boost::asio::awaitable<base::Result<void>> wait_in_background(base::Milliseconds pause) {
    return wait(pause);
  }
};

/// Random numbers: the next one in [0, 1).
class Dice {
 public:
  virtual ~Dice() = default;
  virtual double roll() = 0;
};

/// The one stop signal that reaches every wait. Single-threaded: it belongs to the event loop's thread.
/// Code that waits registers a function that ends its wait; `request` calls each registered function once.
class Stop {
 public:
  class Registration {
   public:
    Registration() = default;
    Registration(Stop& stop, std::function<void()> wake) : stop_(&stop) {
      at_ = stop.wakers_.insert(stop.wakers_.end(), std::move(wake));
    }
    ~Registration() {
      if (stop_ != nullptr) stop_->wakers_.erase(at_);
    }
    Registration(const Registration&) = delete;
    Registration& operator=(const Registration&) = delete;

   private:
    Stop* stop_ = nullptr;
    std::list<std::function<void()>>::iterator at_{};
  };

  bool requested() const noexcept { return requested_; }

  /// A function may end waits but must not destroy registrations before it returns (Asio's cancel() only posts).
  void request() {
    if (std::exchange(requested_, true)) return;
    for (auto& wake : wakers_) wake();
  }

 private:
  bool requested_ = false;
  std::list<std::function<void()>> wakers_;
};

}  // namespace vtmirror::ports
