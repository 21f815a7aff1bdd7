#include "vtmirror/core/rate.hpp"

#include <algorithm>

namespace vtmirror::core {
namespace {

using base::Milliseconds;
using namespace std::chrono_literals;

/// What may be saved up: a quarter of a second then brings 290 thousandths of a second's bytes at most.
constexpr std::int64_t saved_milliseconds = 40;
/// What is waited for at least, so that no bytes are read one by one.
constexpr std::int64_t worth_waking = 20;

bool has_day(const RatePeriod& period, base::Date day) {
  const std::chrono::weekday weekday{std::chrono::sys_days(day)};
  return period.days.at(weekday.iso_encoding() - 1);
}

/// Whether the period that begins on `day` holds at `now`.
bool holds(const RatePeriod& period, base::Date day, const Zone& zone, base::Time now) {
  if (!has_day(period, day)) return false;
  const bool overnight = period.until <= period.from;
  const bool to_midnight = period.until == 24h;
  const auto begin = zone.instant(day, period.from);
  const auto end = overnight || to_midnight ? zone.instant(base::next_day(day), overnight ? period.until : 0min)
                                            : zone.instant(day, period.until);
  return begin <= now && now < end;
}

}  // namespace

std::int64_t rate_at(const RateRules& rules, base::Time now) {
  if (rules.periods.empty() || !rules.zone) return rules.bytes_a_second;
  const auto today = rules.zone->day_of(now);
  for (const auto& period : rules.periods)
    if (holds(period, today, *rules.zone, now) || holds(period, base::previous_day(today), *rules.zone, now))
      return period.bytes_a_second;
  return rules.bytes_a_second;
}

Pace::Grant Pace::ask(std::int64_t bytes_a_second, std::int64_t wanted, base::Steady now) {
  const auto most = std::max<std::int64_t>(bytes_a_second * saved_milliseconds, 1000);
  if (bytes_a_second != rate_) {
    rate_ = bytes_a_second;
    filled_ = now;
    saved_ = 0;
  }
  // A clock that goes back fills nothing.
  const auto passed = std::clamp<std::int64_t>((now - filled_).count(), 0, 1000);
  filled_ = now;
  saved_ = std::min(saved_ + passed * rate_, most);
  const auto enough = std::clamp<std::int64_t>(rate_ * worth_waking, 1000, std::max<std::int64_t>(wanted, 1) * 1000);
  if (saved_ < enough) {
    const auto missing = enough - saved_;
    return {0, Milliseconds((missing + rate_ - 1) / rate_)};
  }
  const auto granted = std::min(saved_ / 1000, wanted);
  saved_ -= granted * 1000;
  return {granted, {}};
}

void Pace::give_back(std::int64_t bytes) {
  saved_ = std::min(saved_ + bytes * 1000, std::max<std::int64_t>(rate_ * saved_milliseconds, 1000));
}

}  // namespace vtmirror::core
