// A clock on which every wait ends at once, and time jumps by its length. Remembers the waits. A wait in the
// background ends when other waits have moved the time that far.
#pragma once

#include "vtmirror/ports/clock.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <list>
#include <vector>

namespace vtmirror::test {

class JumpingClock : public ports::Clock {
 public:
  base::Time now() const override { return start + elapsed_; }
  base::Steady steady() const override { return {elapsed_}; }
  boost::asio::awaitable<base::Result<void>> wait(base::Milliseconds pause) override {
    waits.push_back(pause);
    advance(pause);
    co_return base::Result<void>();
  }
  boost::asio::awaitable<base::Result<void>> wait_in_background(base::Milliseconds pause) override {
    const auto loop = co_await boost::asio::this_coro::executor;
    Alarm alarm(alarms_, loop, elapsed_ + pause);
    co_await alarm.bell.async_wait(boost::asio::as_tuple(boost::asio::use_awaitable));
    co_return base::Result<void>();
  }
  void advance(base::Milliseconds by) {
    elapsed_ += by;
    for (auto* alarm : alarms_)
      if (alarm->due <= elapsed_) alarm->bell.cancel();
  }

  base::Time start = std::chrono::sys_days{std::chrono::year{2026} / 11 / 18} + std::chrono::hours(8);
  std::vector<base::Milliseconds> waits;

 private:
  struct Alarm {
    Alarm(std::list<Alarm*>& set, const boost::asio::any_io_executor& loop, base::Milliseconds at)
        : due(at),
          bell(loop, boost::asio::steady_timer::time_point::max()),
          alarms(set),
          place(set.insert(set.end(), this)) {}
    ~Alarm() { alarms.erase(place); }
    Alarm(const Alarm&) = delete;
    Alarm& operator=(const Alarm&) = delete;

    base::Milliseconds due;
    boost::asio::steady_timer bell;
    std::list<Alarm*>& alarms;
    std::list<Alarm*>::iterator place;
  };

  base::Milliseconds elapsed_{1'000'000};
  std::list<Alarm*> alarms_;
};

class LoadedDice : public ports::Dice {
 public:
  double roll() override { return 0.5; }
};

}  // namespace vtmirror::test
