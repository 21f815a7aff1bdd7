// The stop flag that ends every wait of the simulator.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>

namespace vtmirror::simulator {

class StopSignal {
 public:
  void request() {
    const std::lock_guard lock(mutex_);
    requested_ = true;
    changed_.notify_all();
  }
  /// Waits at most this long; true if the program must stop.
  bool wait_for(std::chrono::nanoseconds time) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, time, [this] { return requested_; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool requested_ = false;
};

}  // namespace vtmirror::simulator
