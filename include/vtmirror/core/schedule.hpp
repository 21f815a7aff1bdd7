// When to wake next, and why. Pure: the clock, the time zone and the splay's dice are arguments.
// Promises one wake-up for each local day, whatever the clock does, and never a pause shorter than `retry` between
// tries.
#pragma once

#include "vtmirror/base/time.hpp"

#include <optional>
#include <string>

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

/// The service is asked at least once a day, however long a wait it requests.
inline constexpr base::Milliseconds longest_patience = std::chrono::hours(24);

/// What a try depends on. Either is empty if it is not known.
struct TriedWith {
  std::string settings;  ///< a fingerprint of the settings and credentials
  std::string service;   ///< the addresses that are asked
  friend bool operator==(const TriedWith&, const TriedWith&) = default;
};

/// The cycles that began between the day's time and some later one.
struct DaysTries {
  base::Time first{};
  base::Milliseconds spent{};  ///< running
};

/// The last recorded cycle. A cycle that was cut off counts as failed at the time when it began.
struct LastCycle {
  base::Time started{};
  base::Time finished{};
  bool complete = false;       ///< everything listed is held: another try would change nothing
  bool todays_listed = false;  ///< the delta of the day for which it woke was listed
  int failures = 0;            ///< failed cycles in a row since the day's wake-up
  bool refused = false;        ///< the secret or the key is refused: a person must act, so one try a day is enough
  bool cut = false;            ///< it was stopped or killed; it may have crashed the process
  base::Time not_before{};     ///< the service asked for no request before then (Retry-After)
  DaysTries tries{};           ///< of its day, itself included; without them it was the first
  TriedWith with{};
  bool corrected = false;  ///< it was not complete, and what it was tried with may have been corrected since
};

enum class WakeReason {
  daily,         ///< the day's own time
  missed,        ///< the day's time passed while the daemon was not running
  todays_files,  ///< today's delta was not listed yet
  failure,       ///< the last cycle failed or was not complete
  corrected,     ///< the same, and what it was tried with may have been corrected
};

struct NextWake {
  base::Time at{};
  WakeReason reason{};
  bool gave_up = false;  ///< today's tries ended without success: a problem; the next try is tomorrow
  friend bool operator==(const NextWake&, const NextWake&) = default;
};

/// The last cycle as it counts for a process that tries with `now`: corrected, if it was not complete and the settings
/// are others; and if the service is another one, no wait that the former service asked for is left.
LastCycle seen_with(LastCycle last, const TriedWith& now);

/// A cycle that the catalogue could not record: it failed, and its day's tries are counted here. `before` is the cycle
/// before it.
LastCycle unrecorded(LastCycle cycle, const LastCycle& before, const Schedule& schedule, const Zone& zone);

/// A listing that was asked for at `at` while a cycle runs, as the try that it is: `next_wake` says when to ask for the
/// next one. `before` is the try before it. The caller must add whether the day's delta is listed.
LastCycle listing_as_try(const LastCycle& before, base::Time at, bool succeeded, const Schedule& schedule,
                         const Zone& zone);

/// The end of the wait that the service asked for in a cycle that ended at `finished`.
base::Time not_before(base::Time finished, std::optional<std::chrono::seconds> retry_after);

/// The end of such a wait by both clocks: the system's time may be set before it is over, and the steady one stands
/// still while the machine is suspended.
struct EndOfWait {
  base::Time time{};
  base::Steady steady{};
};
/// What is left of it by the clock that has less left; never less than 0.
base::Milliseconds left_of(const EndOfWait& end, base::Time now, base::Steady steady);

/// `give_up` counts from the day's first try. After a failure, the time for which cycles ran does not count: a download
/// of many hours that fails is tried again.
/// A cycle whose cause may have been corrected is tried at once, however the day's tries ended. `dice` in [0, 1) places
/// the day's wake-up within the splay; the caller must pass the same number for the whole day. A record from the future
/// (the clock was set back) is ignored. Nothing is due before the last cycle's `not_before`.
NextWake next_wake(const std::optional<LastCycle>& last, const Schedule& schedule, const Zone& zone, base::Time now,
                   double dice);

/// The end of the day's tries in which the service should have answered again, after it answered at `checked` with or
/// without the delta of the day that was served then: a mirror without a newer answer is stale from then on.
base::Time stale_after(base::Time checked, bool todays_listed, const Schedule& schedule, const Zone& zone);

/// The day that a cycle starting at `now` serves: the local day, or the day before while `at` is still to come.
base::Date day_served(const Schedule& schedule, const Zone& zone, base::Time now);

}  // namespace vtmirror::core
