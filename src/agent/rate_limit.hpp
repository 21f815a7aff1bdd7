// One budget of bytes a second over all transfers. Never holds anybody up when there is no limit.
#pragma once

#include "vtmirror/ports/clock.hpp"

#include <cstdint>

namespace vtmirror::agent {

class RateLimit {
 public:
  /// `bytes_a_second` 0: no limit.
  RateLimit(ports::Clock& clock, std::int64_t bytes_a_second) : clock_(clock), rate_(bytes_a_second) {}

  /// Accounts for bytes that came, and waits until they were due. Errors: cancelled.
  boost::asio::awaitable<base::Result<void>> spend(std::int64_t bytes) {
    if (rate_ <= 0) co_return base::Result<void>();
    const auto now = clock_.steady();
    // An idle second is not saved up for a burst later.
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
  std::int64_t owed_ = 0;  ///< thousandths of bytes that did not make up a millisecond
};

}  // namespace vtmirror::agent
