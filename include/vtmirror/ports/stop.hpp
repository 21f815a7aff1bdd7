// The one stop signal that reaches every wait. Single-threaded: it belongs to the event loop's thread.
#pragma once

#include <functional>
#include <list>
#include <utility>

namespace vtmirror::ports {

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
