#include "vtmirror/core/schedule.hpp"

#include <algorithm>

namespace vtmirror::core {

namespace {

base::Milliseconds pause_after(const LastCycle& last, const Schedule& schedule) {
  auto pause = schedule.retry;
  for (int n = 1; n < last.failures && pause < longest_retry; ++n) pause *= 2;
  return std::clamp(pause, schedule.retry, std::max(schedule.retry, longest_retry));
}

/// When the tries of the last cycle's day end.
base::Time end_of_tries(const LastCycle& last, const Schedule& schedule) {
  const bool known = last.tries.first != base::Time{};
  const auto first = known ? std::min(last.tries.first, last.started) : last.started;
  const auto spent = known ? last.tries.spent : last.finished - last.started;
  // While a cycle runs that is complete in the end, the listing is asked for as well.
  return first + schedule.give_up + (last.complete ? base::Milliseconds::zero() : spent);
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
  if (again > end_of_tries(*last, schedule) || again >= tomorrow.at) return {tomorrow.at, tomorrow.reason, true};
  return {again, last->complete ? WakeReason::todays_files : WakeReason::failure};
}

}  // namespace

base::Date day_served(const Schedule& schedule, const Zone& zone, base::Time now) {
  const auto today = zone.day_of(now);
  return zone.instant(today, schedule.at) <= now ? today : base::previous_day(today);
}

base::Time stale_after(base::Time checked, bool todays_listed, const Schedule& schedule, const Zone& zone) {
  const auto end_of = [&](base::Date day) {
    return zone.instant(day, schedule.at) + std::max(schedule.splay, schedule.give_up);
  };
  const auto day = day_served(schedule, zone, checked);
  const bool again_today = !todays_listed && checked + schedule.retry <= end_of(day);
  return end_of(again_today ? day : base::next_day(day));
}

NextWake next_wake(const std::optional<LastCycle>& last, const Schedule& schedule, const Zone& zone, base::Time now,
                   double dice) {
  if (!last || last->started > now) return by_schedule(std::nullopt, schedule, zone, now, dice);
  auto next = by_schedule(last, schedule, zone, now, dice);
  if (last->corrected && next.at > now) next = {now, WakeReason::corrected};
  next.at = std::max(next.at, last->not_before);
  return next;
}

LastCycle seen_with(LastCycle last, const TriedWith& now) {
  const auto differs = [](const std::string& before, const std::string& used) {
    return !before.empty() && !used.empty() && before != used;
  };
  if (!last.complete && differs(last.with.settings, now.settings)) last.corrected = true;
  if (differs(last.with.service, now.service)) last.not_before = {};
  return last;
}

LastCycle unrecorded(LastCycle cycle, const LastCycle& before, const Schedule& schedule, const Zone& zone) {
  const bool same_day = day_served(schedule, zone, before.started) == day_served(schedule, zone, cycle.started);
  cycle.failures = 1 + (same_day ? before.failures : 0);
  cycle.tries = {.first = cycle.started, .spent = cycle.finished - cycle.started};
  if (same_day && before.tries.first != base::Time{})
    cycle.tries = {.first = before.tries.first, .spent = cycle.tries.spent + before.tries.spent};
  return cycle;
}

LastCycle listing_as_try(const LastCycle& before, base::Time at, bool succeeded, const Schedule& schedule,
                         const Zone& zone) {
  const auto first = before.tries.first == base::Time{} ? before.started : before.tries.first;
  const bool same_day = first <= at && day_served(schedule, zone, first) == day_served(schedule, zone, at);
  LastCycle listing{.started = at, .finished = at, .complete = succeeded};
  listing.failures = succeeded ? 0 : before.failures + 1;
  listing.tries.first = same_day ? first : at;
  return listing;
}

base::Time not_before(base::Time finished, std::optional<std::chrono::seconds> retry_after) {
  return finished + std::min<base::Milliseconds>(retry_after.value_or(std::chrono::seconds(0)), longest_patience);
}

base::Milliseconds left_of(const EndOfWait& end, base::Time now, base::Steady steady) {
  return std::max(std::min<base::Milliseconds>(end.time - now, end.steady - steady), base::Milliseconds::zero());
}

}  // namespace vtmirror::core
