#include "agent/last_cycle.hpp"

#include "vtmirror/core/chain_failures.hpp"
#include "vtmirror/core/cycle_tally.hpp"

#include <algorithm>

namespace vtmirror::agent {

bool lists_delta_of(const std::vector<core::Listed>& listed, base::Date day) {
  return std::any_of(listed.begin(), listed.end(),
                     [day](const core::Listed& file) { return file.kind == core::Kind::delta && file.date == day; });
}

bool is_complete(const core::CycleRecord& cycle) { return cycle.finished && cycle.outcome == core::Outcome::complete; }

bool was_stopped(const core::CycleRecord& cycle) {
  return cycle.finished && cycle.failure && core::is_stop(*cycle.failure);
}

namespace {

/// Whether the failures that the catalogue has are those of this cycle.
bool has_failures(const core::CycleRecord& newest) {
  return newest.finished && newest.outcome == core::Outcome::partial && !was_stopped(newest);
}

/// A file that is lost and no longer listed is a problem; another try the same day would not bring it back.
bool is_to_be_retried(const core::CycleRecord& newest, const std::vector<core::Failure>& failures) {
  if (!has_failures(newest) || failures.empty()) return !is_complete(newest);
  return !std::ranges::all_of(failures, core::no_try_helps);
}

/// The end of the wait that a store asked for. It holds back the tries of a day whose delta is listed: the service is
/// another host, which is asked for what is not listed, and on every day at its time, at the end of the splay.
base::Time not_before_by_store(const core::LastCycle& last, const std::vector<core::Failure>& failures,
                               const core::Schedule& schedule, const core::Zone& zone, base::Date day) {
  if (!last.todays_listed) return {};
  const auto next_day = zone.instant(base::next_day(day), schedule.at) + schedule.splay;
  return std::min(core::not_before(last.finished, core::wait_of_stores(failures)), next_day);
}

}  // namespace

std::optional<core::LastCycle> last_of(const std::vector<core::CycleRecord>& cycles, const core::DaysTries& tries,
                                       const core::HealthFacts& facts, const core::Schedule& schedule,
                                       const core::Zone& zone) {
  if (cycles.empty()) return std::nullopt;
  const auto& newest = cycles.front();
  core::LastCycle last;
  last.started = newest.started;
  last.finished = newest.finished.value_or(newest.started);
  last.complete = !is_to_be_retried(newest, facts.failures);
  last.tries = tries;
  last.with = newest.with;
  last.not_before = newest.not_before.value_or(base::Time{});
  const auto day = core::day_served(schedule, zone, newest.started);
  last.todays_listed = lists_delta_of(facts.files.listed, day);
  if (has_failures(newest))
    last.not_before = std::max(last.not_before, not_before_by_store(last, facts.failures, schedule, zone, day));
  for (const auto& past : cycles) {
    if (is_complete(past) || core::day_served(schedule, zone, past.started) != day) break;
    ++last.failures;
  }
  // A cycle that was cut off or stopped is continued at once, but not forever, because it may be what ends the process.
  last.cut = !newest.finished || was_stopped(newest);
  if (last.cut && last.failures <= core::enough_cuts) return std::nullopt;
  return last;
}

}  // namespace vtmirror::agent
