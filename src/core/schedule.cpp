#include "vtmirror/core/schedule.hpp"

#include <algorithm>

namespace vtmirror::core {

namespace {

base::Milliseconds pause_after(const LastCycle& last, const Schedule& schedule) {
  auto pause = schedule.retry;
  for (int n = 1; n < last.failures && pause < longest_retry; ++n) pause *= 2;
  return std::clamp(pause, schedule.retry, std::max(schedule.retry, longest_retry));
}

/// As `next_wake`, for a last cycle that counts or none, but without the wait that the service asked for.
NextWake by_schedule(const std::optional<LastCycle>& last, const Schedule& schedule, const Zone& zone, base::Time now,
                     double dice) {
  const auto splay = std::chrono::duration_cast<base::Milliseconds>(schedule.splay * dice);
  const auto day = day_served(schedule, zone, now);
  const auto due = zone.instant(day, schedule.at);
  const NextWake tomorrow{zone.instant(base::next_day(day), schedule.at) + splay, WakeReason::daily};

  if (!last || last->started < due) {
    if (now < due + splay) return {due + splay, WakeReason::daily};
    return {now, WakeReason::missed};
  }
  if (last->complete && last->todays_listed) return tomorrow;
  if (!last->complete && last->refused) return {tomorrow.at, tomorrow.reason, true};
  const auto pause = last->complete ? schedule.retry : pause_after(*last, schedule);
  const auto again = std::max(std::min(last->finished, now) + pause, now);
  if (again > due + schedule.give_up || again >= tomorrow.at) return {tomorrow.at, tomorrow.reason, true};
  return {again, last->complete ? WakeReason::todays_files : WakeReason::failure};
}

}  // namespace

base::Date day_served(const Schedule& schedule, const Zone& zone, base::Time now) {
  const auto today = zone.day_of(now);
  return zone.instant(today, schedule.at) <= now ? today : base::previous_day(today);
}

NextWake next_wake(const std::optional<LastCycle>& last, const Schedule& schedule, const Zone& zone, base::Time now,
                   double dice) {
  if (!last || last->started > now) return by_schedule(std::nullopt, schedule, zone, now, dice);
  auto next = by_schedule(last, schedule, zone, now, dice);
  next.at = std::max(next.at, last->not_before);
  return next;
}

}  // namespace vtmirror::core
