// `vtmirror history`: past cycles, newest first, as a table and as JSON. Also how one cycle went, in a line. Pure.
#pragma once

#include "vtmirror/catalogue/catalogue.hpp"
#include "vtmirror/core/history.hpp"
#include "vtmirror/report/days.hpp"
#include "vtmirror/report/status.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace vtmirror::report {

/// What the catalogue does not know of the past cycles.
struct HistoryLook {
  bool runs = false;                   ///< a process holds the mirror: the newest cycle, if it has no end, is its own
  UtcOffset utc_offset{};              ///< without it, times are in UTC
  std::optional<CycleStatus> cycle{};  ///< that one's numbers so far; empty if only its own process knows them
  base::Time now{};
};
/// A cycle without an end is `running` or `unfinished`.
std::string history_text(const std::vector<core::CycleRecord>& cycles, std::size_t width, const HistoryLook& look = {});
/// A running cycle has the outcome `running` and its numbers so far. One that was interrupted has null for `finished`,
/// `outcome` and `rate`.
std::string history_json(const std::vector<core::CycleRecord>& cycles, const HistoryLook& look = {});

/// A cycle that has ended, as the status and the event `cycle` have it.
LastCycleStatus last_cycle_of(const core::CycleRecord& cycle);
LastCycleStatus last_cycle_of(const core::CycleReport& report, base::Time finished);
/// Whether the cycle's error says the cause of such a problem, if one stands.
bool is_said_of(const LastCycleStatus& cycle, core::ProblemCode code);

/// "6m 12s", and of less than a second "0.4s". "under 1s" if no time was measured: a daemon's status has whole seconds.
std::string took_words(base::Milliseconds took);
/// What a cycle achieved: "2 files, 167 MB"; "nothing new"; if it published none, "no file published, 1.24 MB
/// downloaded" or "nothing downloaded".
std::string gain_words(core::Outcome outcome, int files, std::int64_t bytes);
/// The same with its time: "2 files, 167 MB in 12s", "nothing new (0.4s)".
std::string gain_words(core::Outcome outcome, int files, std::int64_t bytes, base::Milliseconds took);

// The last lines of `vtmirror sync`.

/// "partial: 2 files, 167 MB in 12s, 13.9 MB/s", and of a cycle that is not complete the reason and what to do, a line
/// each. Of refused entries and quarantined files it has the number: each has a line of its own before.
/// `awaited`: said of a complete cycle, see `not_listed_yet`; empty if nothing is awaited.
std::string summary(const core::CycleReport& report, const std::string& awaited = {});
/// The same of a daemon's cycle.
std::string summary(const LastCycleStatus& cycle, const std::string& awaited = {});

/// "removed 8 files of older chains, 23.0 MB; ..."; empty if nothing was removed.
std::string removals(const core::CycleReport& report);

/// "today's delta (18 Nov) is not listed yet". Without the day if only the daemon knows it.
std::string not_listed_yet(const std::optional<base::Date>& day = {});
/// All that is listed is held: "up to date with the listing; today's delta (18 Nov) is not listed yet".
std::string up_to_date(const std::string& awaited);

/// Bytes a second; 0 if no time has passed.
double average_rate(std::int64_t bytes, base::Milliseconds took) noexcept;

}  // namespace vtmirror::report
