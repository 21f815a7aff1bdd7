// Holds a long reading to a rate.
// Promises to ask several times a second whether to continue while it waits. Never waits if there is no limit.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <thread>

namespace vtmirror::mirror {

class Pace {
 public:
  explicit Pace(std::int64_t bytes_a_second) : rate_(bytes_a_second) {}

  /// To be called after `bytes` more were read: returns when the next may be. False: `ask` said to stop.
  bool wait(std::int64_t bytes, const auto& ask) {
    if (rate_ <= 0 || bytes <= 0) return true;
    const auto now = Clock::now();
    // A reading that was held up does not make up for it.
    due_ = std::max(due_.value_or(now), now - longest_step) + std::chrono::microseconds(bytes * 1'000'000 / rate_);
    while (Clock::now() < *due_) {
      if (!ask()) return false;
      std::this_thread::sleep_for(std::min<Clock::duration>(*due_ - Clock::now(), longest_step));
    }
    return true;
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds longest_step{100};
  std::int64_t rate_;
  std::optional<Clock::time_point> due_{};
};

}  // namespace vtmirror::mirror
