// When to wake next, and why. Pure: the clock, the time zone and the splay's dice are arguments.
// Promises one wake-up for each local day, whatever the clock does, and never a pause shorter than `retry` between
// tries.
#pragma once

#include "vtmirror/base/time.hpp"

#include <optional>

namespace vtmirror::core {

/// A time zone's rules. An adapter reads them from the system.
class Zone {
 public:
  virtual ~Zone() = default;
  /// The local day of an instant.
  virtual base::Date day_of(base::Time time) const = 0;
  /// The instant of a local time: the first one if it occurs twice, the first after the gap if it is skipped.
  virtual base::Time instant(base::Date day, std::chrono::minutes since_midnight) const = 0;
};

struct Schedule {
  std::chrono::minutes at{8 * 60};  ///< local time of day
  base::Milliseconds splay = std::chrono::minutes(5);
  base::Milliseconds retry = std::chrono::minutes(10);
  base::Milliseconds give_up = std::chrono::hours(6);
  friend bool operator==(const Schedule&, const Schedule&) = default;
};
/// Pauses after failures grow up to this length.
inline constexpr base::Milliseconds longest_retry = std::chrono::hours(1);

/// The last recorded cycle. A cycle that was cut off counts as failed at the time when it began.
struct LastCycle {
  base::Time started{};
  base::Time finished{};
  bool complete = false;       ///< everything listed is held
  bool todays_listed = false;  ///< the delta of the day for which it woke was listed
  int failures = 0;            ///< failed cycles in a row since the day's wake-up
  bool refused = false;        ///< the secret or the key is refused: a person must act, so one try a day is enough
  bool cut = false;            ///< it was stopped or killed; it may have crashed the process
  base::Time not_before{};     ///< the service asked for no request before then (Retry-After)
};

enum class WakeReason {
  daily,         ///< the day's own time
  missed,        ///< the day's time passed while the daemon was not running
  todays_files,  ///< today's delta was not listed yet
  failure,       ///< the last cycle failed or was not complete
};

struct NextWake {
  base::Time at{};
  WakeReason reason{};
  bool gave_up = false;  ///< today's tries ended without success: a problem; the next try is tomorrow
  friend bool operator==(const NextWake&, const NextWake&) = default;
};

/// `dice` in [0, 1) places the day's wake-up within the splay; the caller must pass the same number for the whole day.
/// A record from the future (the clock was set back) is ignored. Nothing is due before the last cycle's `not_before`.
NextWake next_wake(const std::optional<LastCycle>& last, const Schedule& schedule, const Zone& zone, base::Time now,
                   double dice);

/// The day that a cycle starting at `now` serves: the local day, or the day before while `at` is still to come.
base::Date day_served(const Schedule& schedule, const Zone& zone, base::Time now);

}  // namespace vtmirror::core
