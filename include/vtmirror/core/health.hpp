// Judges what is wrong with the mirror now, from the end of the last cycle, the listing and the time.
// Pure. Promises one problem for each cause. A problem that persists keeps its beginning and is not reported again
// unless it affects more files than before.
#pragma once

#include "vtmirror/base/time.hpp"
#include "vtmirror/core/chain.hpp"
#include "vtmirror/core/notice.hpp"
#include "vtmirror/core/problem.hpp"
#include "vtmirror/core/schedule.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace vtmirror::core {

/// A consumer that has not loaded what it could.
struct BehindConsumer {
  std::string name;
  base::Time since{};      ///< when the first file came that it has not loaded
  std::int64_t files = 0;  ///< to load
  friend bool operator==(const BehindConsumer&, const BehindConsumer&) = default;
};

/// What the catalogue knows of files. It is read again while a cycle runs.
struct FileFacts {
  std::vector<Listed> listed;
  std::optional<base::Time> listed_at;
  std::vector<Failure> refused;  ///< entries of the newest listing that failed its checks
  std::vector<Listed> held;
  std::vector<Failure> quarantined;       ///< every file in the quarantine
  std::vector<Failure> damaged;           ///< held files that were found damaged or lost when they were read again
  std::optional<base::Time> first_cycle;  ///< when the mirror's first cycle began
};

struct HealthFacts {
  /// How the last cycle ended, leaving out cycles that were cut off or asked to stop; empty if there was none.
  struct End {
    bool complete = false;
    bool tried = false;                ///< it got far enough for single files to fail
    std::optional<Failure> failure{};  ///< its first one; empty also when it could not be recorded
  };
  std::optional<End> end;
  /// Of the last cycle that got that far.
  std::vector<Failure> failures;
  int cuts = 0;  ///< cycles cut off since then (killed, power cut)
  FileFacts files;
  std::optional<Problem> catalogue_rebuilt;  ///< set if the catalogue was damaged when it was opened
  std::vector<FailingChannel> failing;       ///< for longer than `longest_silence`
  std::optional<Cause> settings_refused{};   ///< why the last reload changed nothing
  std::vector<Cause> unrepaired{};           ///< what the last recovery could not repair; the subject is the file
  std::optional<Cause> full_soon{};          ///< why the disk will soon be full (core/forecast.hpp)
  std::vector<BehindConsumer> behind{};      ///< for longer than `consumers.lease`
  /// The last cycle's cause may have been corrected, and the next cycle has not ended yet.
  bool corrected = false;
};
/// More cycles in a row than this being cut off is a problem.
inline constexpr int enough_cuts = 3;

/// All current problems, at most one for each code. `before`: the problems until now. `schedule` and `zone` say when
/// a day's tries begin and end, by the local clock of the schedule; `gave_up`: today's tries ended without success
/// (`NextWake`).
/// - late_delta: a day's delta was not listed when the day's tries ended (or, if there were no tries, the next day's
///   listing does not have it). It lasts until a delta of that day or a later one, or a later bulk file, is listed or
///   held. Days that ended before the mirror's first cycle do not count.
/// - quarantined_file, low_space, damaged_file, refused_entry, missing_files: the files that a cycle could not get, by
///   cause. A quarantined file counts only as that, whatever else failed last time.
/// - damaged_file also: what was found when held files were read again, until they are whole.
/// - channel_failing: a channel has failed for longer than a day. A warning that does not arrive must be visible
///   elsewhere.
/// - empty_listing: the last cycle failed because the service listed no file, or no bulk file. It lasts until a listing
///   can be used.
/// - settings_refused: the last reload changed nothing.
/// - repair_failed: the last recovery left files unrepaired.
/// - disk_forecast: the next two bulk files with their deltas will not fit; not reported while low_space is.
/// - consumer_behind: a consumer has had files to load for longer than `consumers.lease`.
/// - While `corrected`, after new settings, problems of the last cycle's failures neither begin nor end: the next cycle
///   shows what of them is left.
/// - cycle_failed: a cycle failed before it tried any file, or for a reason that is not about a file; or cycles are cut
///   off.
std::vector<Problem> judge(const HealthFacts& facts, const Schedule& schedule, const Zone& zone, bool gave_up,
                           const std::vector<Problem>& before, base::Time now);

/// The entries of the newest listing that failed its checks.
std::vector<Failure> refused_in(const Calendar& calendar);

struct ProblemChanges {
  std::vector<Problem> now;  ///< all of them, for storage
  std::vector<Problem> began;
  std::vector<Problem> worse;  ///< affecting more files than was reported
  std::vector<Problem> over;
};
ProblemChanges compare(const std::vector<Problem>& before, std::vector<Problem> found, base::Time now);

}  // namespace vtmirror::core
