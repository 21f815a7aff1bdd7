// What is wrong with the mirror now: from how the last cycle ended, what is listed, and the hour.
// Pure. Promises one problem for each cause, and that a problem that goes on keeps its beginning and is not told again
// unless it is about more files than before.
#pragma once

#include "vtmirror/core/chain.hpp"
#include "vtmirror/core/problem.hpp"
#include "vtmirror/core/schedule.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace vtmirror::core {

/// A channel that has refused something, or could not be reached, again and again.
struct FailingChannel {
  std::string name;
  base::Time since{};        ///< when the oldest notice became true that waits for it
  std::int64_t waiting = 0;  ///< notices, all together
  Cause cause;               ///< of that notice's last attempt; without a subject
  friend bool operator==(const FailingChannel&, const FailingChannel&) = default;
};
/// So long may a notice fail to be told before that is a problem.
inline constexpr std::chrono::hours longest_silence{24};

struct HealthFacts {
  /// How the last cycle ended that was neither cut nor told to stop; empty when there was none.
  struct End {
    bool complete = false;
    bool tried = false;                ///< it came so far that single files could fail
    std::optional<Failure> failure{};  ///< its first one; empty also when it could not be recorded
  };
  std::optional<End> end;
  /// Of the last cycle that came so far.
  std::vector<Failure> failures;
  int cuts = 0;  ///< cycles that were cut off since (killed, power)
  std::vector<Listed> listed;
  std::vector<Listed> held;
  std::optional<base::Time> listed_at;
  std::vector<Failure> quarantined;          ///< all that lies in the quarantine
  std::optional<base::Time> first_cycle;     ///< when the mirror's first cycle began
  std::optional<Problem> catalogue_rebuilt;  ///< as whoever opened the catalogue found it
  std::vector<FailingChannel> failing;       ///< for longer than `longest_silence`
};
/// So many cycles in a row may be cut off before that is a problem.
inline constexpr int enough_cuts = 3;

/// All that is wrong, at most one problem a code. `before`: what was wrong until now.
/// - late_delta: a day's delta was not listed when the day's tries were over (or, where nobody tried, a listing of the
///   next day does not have it); it goes on until a delta of that day or a later one, or a later bulk file, is listed
///   or held. A day that was over before the mirror's first cycle is not waited for.
/// - quarantined_file, low_space, damaged_file, refused_entry, missing_files: the files that a cycle could not get, by
///   cause. A file in the quarantine is that, whatever was the matter with it the last time.
/// - channel_failing: what a channel refuses, or nobody there takes, for longer than a day; a warning that does not
///   arrive must show elsewhere.
/// - cycle_failed: a cycle that could not try, or failed for what is no file's fault; or cycles that are cut off.
std::vector<Problem> judge(const HealthFacts& facts, const Schedule& schedule, const Zone& zone, bool gave_up,
                           const std::vector<Problem>& before, base::Time now);

struct ProblemChanges {
  std::vector<Problem> now;  ///< all of them, to be kept
  std::vector<Problem> began;
  std::vector<Problem> worse;  ///< about more files than was told
  std::vector<Problem> over;
};
ProblemChanges compare(const std::vector<Problem>& before, std::vector<Problem> found, base::Time now);

}  // namespace vtmirror::core
