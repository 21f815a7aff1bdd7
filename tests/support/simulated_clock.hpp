// A clock that stands still until a test sets it to a later time. Waits are kept in a queue, and end when their time
// has come. Promises that a suspended machine's steady time stands still while its wall clock advances. Never reads the
// machine's clock.
#pragma once

#include "vtmirror/ports/clock.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <list>
#include <optional>

namespace vtmirror::test {

class SimulatedClock : public ports::Clock {
 public:
  explicit SimulatedClock(base::Time start) : world_(start) {}

  /// The time that the process reads: the right time plus its error, `skew`.
  base::Time now() const override { return world_ + skew; }
  base::Steady steady() const override { return {steady_}; }
  /// The right time, as the rest of the world has it.
  base::Time world() const { return world_; }

  boost::asio::awaitable<base::Result<void>> wait(base::Milliseconds pause) override {
    const auto loop = co_await boost::asio::this_coro::executor;
    boost::asio::steady_timer bell(loop, boost::asio::steady_timer::time_point::max());
    auto waited = co_await wait_for(bell, pause);
    co_return waited;
  }
  /// As `wait`; the owner of the bell may cancel it, which ends the wait too.
  boost::asio::awaitable<base::Result<void>> wait_for(boost::asio::steady_timer& bell, base::Milliseconds pause) {
    const base::Error stopped{base::Errc::cancelled, "stopped while waiting"};
    if (stop->requested()) co_return stopped;
    const Entry entry(waits_, {steady_ + pause, &bell});
    const ports::Stop::Registration registration(*stop, [&bell] { bell.cancel(); });
    co_await bell.async_wait(boost::asio::as_tuple(boost::asio::use_awaitable));
    if (stop->requested()) co_return stopped;
    co_return base::Result<void>();
  }

  /// When the first wait ends, in the right time; empty if there is no wait.
  std::optional<base::Time> next_deadline() const {
    if (waits_.empty()) return std::nullopt;
    const auto first = std::ranges::min(waits_, {}, &Wait::deadline).deadline;
    return world_ + std::max(first - steady_, base::Milliseconds::zero());
  }

  /// Lets time pass, and ends the waits whose time has come.
  void go_to(base::Time there) {
    steady_ += std::max(there - world_, base::Milliseconds::zero());
    suspend_until(there);
    for (auto& each : waits_)
      if (each.deadline <= steady_) each.bell->cancel();
  }
  /// Suspends the machine until then: its steady time stands still, and no wait ends.
  void suspend_until(base::Time there) { world_ = std::max(world_, there); }

  base::Milliseconds skew{0};
  ports::Stop* stop = nullptr;  ///< of the process that runs

 private:
  struct Wait {
    base::Milliseconds deadline{};
    boost::asio::steady_timer* bell = nullptr;
  };
  class Entry {
   public:
    Entry(std::list<Wait>& waits, Wait wait) : waits_(waits), at_(waits.insert(waits.end(), wait)) {}
    ~Entry() { waits_.erase(at_); }
    Entry(const Entry&) = delete;
    Entry& operator=(const Entry&) = delete;

   private:
    std::list<Wait>& waits_;
    std::list<Wait>::iterator at_;
  };

  base::Time world_;
  base::Milliseconds steady_{1'000'000};
  std::list<Wait> waits_;
};

}  // namespace vtmirror::test
