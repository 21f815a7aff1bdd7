// One budget of bytes per second for all transfers. Never delays anything if there is no limit.
#pragma once

#include "vtmirror/ports/clock.hpp"

#include <cstdint>

namespace vtmirror::agent {

class RateLimit {
 public:
  /// `bytes_a_second` 0: no limit.
  RateLimit(ports::Clock& clock, std::int64_t bytes_a_second) : clock_(clock), rate_(bytes_a_second) {}

  /// Counts bytes that have arrived, and waits until they are within the limit. Errors: cancelled.
  boost::asio::awaitable<base::Result<void>> spend(std::int64_t bytes) {
    if (rate_ <= 0) co_return base::Result<void>();
    const auto now = clock_.steady();
    // Unused time is not saved for a later burst.
    if (due_ < now) due_ = now;
    owed_ += bytes * 1000;
    due_ = due_ + base::Milliseconds(owed_ / rate_);
    owed_ %= rate_;
    if (due_ <= now) co_return base::Result<void>();
    auto waited = co_await clock_.wait(due_ - now);
    co_return waited;
  }

 private:
  ports::Clock& clock_;
  std::int64_t rate_;
  base::Steady due_{};
  std::int64_t owed_ = 0;  ///< thousandths of bytes, less than a millisecond's worth
};

}  // namespace vtmirror::agent
