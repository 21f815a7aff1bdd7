// A clock on which every wait is over at once, and time has jumped by as much. Remembers the waits.
#pragma once

#include "vtmirror/ports/clock.hpp"

#include <vector>

namespace vtmirror::test {

class JumpingClock : public ports::Clock {
 public:
  base::Time now() const override { return start + elapsed_; }
  base::Steady steady() const override { return {elapsed_}; }
  boost::asio::awaitable<base::Result<void>> wait(base::Milliseconds pause) override {
    waits.push_back(pause);
    elapsed_ += pause;
    co_return base::Result<void>();
  }
  void advance(base::Milliseconds by) { elapsed_ += by; }

  base::Time start = std::chrono::sys_days{std::chrono::year{2026} / 11 / 18} + std::chrono::hours(8);
  std::vector<base::Milliseconds> waits;

 private:
  base::Milliseconds elapsed_{1'000'000};
};

class LoadedDice : public ports::Dice {
 public:
  double roll() override { return 0.5; }
};

}  // namespace vtmirror::test
