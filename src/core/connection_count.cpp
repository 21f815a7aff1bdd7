#include "vtmirror/core/connection_count.hpp"

#include <algorithm>
#include <utility>

namespace vtmirror::core {
namespace {

using base::Milliseconds;
using base::Steady;
using namespace std::chrono_literals;

/// By which factor doubling must raise the rate, and by which adding must.
constexpr double worth_doubling = 1.25;
constexpr double worth_adding = 1.05;
/// The share of the rate that fewer connections must still reach.
constexpr double enough = 0.95;
/// Nearly twice the rate for twice the connections: no need to reduce.
constexpr double proportional = 1.8;
constexpr double collapsed = 0.5;
constexpr double recovered = 1.25;
constexpr double much_faster = 1.5;
constexpr int ticks_to_believe = 3;
constexpr int ticks_to_prove = 4;

constexpr Milliseconds first_while = 5s;
constexpr Milliseconds longest_while = 30s;
constexpr Milliseconds a_day = 24h;

}  // namespace

ConnectionCount::ConnectionCount(int most, FoundConnections before)
    : most_(std::max(most, 1)),
      target_(std::clamp(before.number, 1, most_)),
      phase_(before.rate > 0 ? Phase::proving : Phase::growing),
      expected_(static_cast<double>(before.rate) * target_ / std::max(before.number, 1)),
      while_(first_while),
      of_the_day_(most_) {}

int ConnectionCount::ceiling(Steady now) const {
  const int allowed = std::max(now < day_until_ ? std::min(of_the_day_, most_) : most_, least_);
  return std::min(allowed, room_.at(now).value_or(allowed));
}

int ConnectionCount::least(Steady now) const { return std::min(least_, room_.at(now).value_or(least_)); }

void ConnectionCount::at_least(Steady now, int connections) {
  now_ = now;
  least_ = std::clamp(connections, 1, most_);
  if (target_ < least(now)) grow_from(least(now));
}

/// An eighth of the number that is held: enough for the rate to change by more than its noise.
int ConnectionCount::step() const { return std::max(held_.connections / 8, 1); }

/// A change of five per cent shows only over two seconds.
int ConnectionCount::samples_wanted() const {
  switch (phase_) {
    case Phase::proving:
    case Phase::growing:
      return 1;
    case Phase::trimming:
    case Phase::recovering:
      return 2;
    case Phase::adding:
    case Phase::dropping:
      return 4;
    case Phase::holding:
      return 1;
  }
  return 1;
}

void ConnectionCount::tick(const Seen& seen) {
  const auto since = last_ ? seen.now - *last_ : Milliseconds(0);
  last_ = now_ = seen.now;
  if (since <= 0ms) return;
  if (seen.hindered || seen.open != target_) return measure_anew();
  if (settling_ > 0) {
    --settling_;
    return;
  }
  sum_ += static_cast<double>(seen.bytes) * 1000 / static_cast<double>(since.count());
  if (++samples_ < samples_wanted()) return;
  const double rate = sum_ / samples_;
  samples_ = 0;
  sum_ = 0;
  judge(rate, seen.now);
}

void ConnectionCount::judge(double rate, Steady now) {
  switch (phase_) {
    case Phase::proving:
      return judge_proof(rate, now);
    case Phase::growing:
      return judge_growth(rate, now);
    case Phase::trimming:
      return judge_trim(rate, now);
    case Phase::adding:
      return judge_addition(rate, now);
    case Phase::dropping:
      return judge_drop(rate, now);
    case Phase::recovering:
      return judge_recovery(rate, now);
    case Phase::holding:
      return keep_watch(rate, now);
  }
}

void ConnectionCount::measure_anew() {
  settling_ = 1;
  samples_ = 0;
  sum_ = 0;
}

void ConnectionCount::forbid_more_for_the_day(int connections, Steady now) {
  of_the_day_ = connections;
  day_until_ = now + a_day;
}

void ConnectionCount::aim(int connections) {
  measure_anew();
  doubted_ = false;
  slow_ticks_ = fast_ticks_ = 0;
  target_ = std::clamp(connections, least(now_), most_);
}

void ConnectionCount::grow_from(int connections) {
  phase_ = Phase::growing;
  before_ = {};
  proven_ = false;
  aim(connections);
}

/// `base` was measured; the next is twice as many, if that is allowed.
void ConnectionCount::grow(Measured base, Steady now) {
  found_ = {base.connections, static_cast<std::int64_t>(base.rate)};
  const int next = std::min(2 * base.connections, ceiling(now));
  if (next > base.connections) {
    before_ = base;
    return aim(next);
  }
  const bool surely_all_help = proven_ && base.rate >= proportional * before_.rate;
  if (surely_all_help || base.connections == 1) return hold(base, now);
  trim(before_, base, now);
}

/// The rate that is held is the remembered one: a part of it is what new connections bring.
void ConnectionCount::judge_proof(double rate, Steady now) {
  fewer_next_ = true;  // the number may have been found on another line
  if (rate >= collapsed * expected_) return hold({target_, expected_}, now);
  if (++slow_ticks_ >= ticks_to_prove) grow_from(1);
}

void ConnectionCount::judge_growth(double rate, Steady now) {
  const Measured measured{target_, rate};
  fewer_next_ = true;  // smaller numbers were measured while their connections were new
  if (before_.connections == 0) return grow(measured, now);
  if (rate >= worth_doubling * before_.rate) {
    proven_ = true;
    return grow(measured, now);
  }
  if (!std::exchange(doubted_, true)) return;
  if (rate < collapsed * before_.rate) forbid_more_for_the_day((before_.connections + target_) / 2, now);
  if (rate >= worth_adding * before_.rate) return trim(before_, measured, now);
  // The rate did not rise. The number before may itself be more than needed.
  if (proven_ || before_.connections == 1) return hold(before_, now);
  trim({}, before_, now);
}

/// Looks for the smallest number above `low` that brings nearly what `high` brought.
void ConnectionCount::trim(Measured low, Measured high, Steady now) {
  low_ = low;
  high_ = high;
  low.connections = std::max(low.connections, least(now) - 1);
  const int distance = high.connections - low.connections;
  if (distance <= std::max(high.connections / 8, 1)) return hold(high, now);
  phase_ = Phase::trimming;
  aim(low.connections + distance / 2);
}

void ConnectionCount::judge_trim(double rate, Steady now) {
  if (rate >= enough * high_.rate)
    trim(low_, {target_, std::max(rate, high_.rate)}, now);
  else
    trim({target_, rate}, high_, now);
}

void ConnectionCount::hold(Measured found, Steady now) {
  phase_ = Phase::holding;
  if (found.connections != target_) aim(found.connections);
  held_ = found;
  found_ = {found.connections, static_cast<std::int64_t>(found.rate)};
  next_try_ = now + while_;
  slow_ticks_ = fast_ticks_ = 0;
}

void ConnectionCount::keep_watch(double rate, Steady now) {
  if (held_.rate <= 0) {
    held_.rate = rate;
    return;
  }
  slow_ticks_ = rate < collapsed * held_.rate ? slow_ticks_ + 1 : 0;
  fast_ticks_ = rate > much_faster * held_.rate ? fast_ticks_ + 1 : 0;
  if (slow_ticks_ >= ticks_to_believe) {
    before_ = {target_, rate};
    phase_ = Phase::recovering;
    return aim(target_ / 2);
  }
  if (fast_ticks_ >= ticks_to_believe) {
    while_ = first_while;
    return grow_from(target_);
  }
  if (slow_ticks_ > 0 || fast_ticks_ > 0) return;
  // A line's rate drifts.
  held_.rate += (rate - held_.rate) / 8;
  found_ = {held_.connections, static_cast<std::int64_t>(held_.rate)};
  if (now >= next_try_) try_another(now);
}

void ConnectionCount::try_another(Steady now) {
  const bool fewer = fewer_next_ && held_.connections > least(now);
  fewer_next_ = !fewer_next_;
  if (fewer) return drop(held_, step());
  const int next = std::min(held_.connections + step(), ceiling(now));
  if (next <= held_.connections) {
    next_try_ = now + while_;
    return;
  }
  phase_ = Phase::adding;
  before_ = held_;
  aim(next);
}

void ConnectionCount::drop(Measured from, int fewer) {
  phase_ = Phase::dropping;
  before_ = from;
  aim(from.connections - std::min(fewer, from.connections / 2));
}

void ConnectionCount::judge_addition(double rate, Steady now) {
  if (rate >= worth_adding * before_.rate) {
    while_ = first_while;
    proven_ = true;
    phase_ = Phase::growing;
    return grow({target_, rate}, now);
  }
  while_ = std::min(2 * while_, longest_while);
  hold(before_, now);
}

void ConnectionCount::judge_drop(double rate, Steady now) {
  if (rate >= enough * before_.rate) {
    const Measured lower{target_, std::max(rate, before_.rate)};
    if (target_ == least(now)) return hold(lower, now);
    return drop(lower, 2 * (before_.connections - target_));
  }
  while_ = std::min(2 * while_, longest_while);
  trim({target_, rate}, before_, now);
}

void ConnectionCount::judge_recovery(double rate, Steady now) {
  while_ = first_while;
  if (rate >= recovered * before_.rate) {
    forbid_more_for_the_day(target_, now);
    return hold({target_, rate}, now);
  }
  grow_from(target_);
}

void ConnectionCount::refused(Steady now, int open, bool crowded) {
  now_ = now;
  if (!is_crowded(now)) before_refusals_ = {target_, found_};
  room_.refused(now, open, target_, crowded ? 1 : least_);
  phase_ = Phase::holding;
  aim(*room_.at(now));
  held_ = {target_, 0};
  found_ = {target_, 0};
  next_try_ = std::max(now + while_, room_.until());
}

void ConnectionCount::disbelieve_refusals(Steady now) {
  now_ = now;
  room_.disbelieve();
  found_ = before_refusals_.found;
  grow_from(before_refusals_.target);
}

}  // namespace vtmirror::core
