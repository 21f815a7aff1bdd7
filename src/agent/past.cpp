#include "agent/past.hpp"

#include "vtmirror/core/cycle_report.hpp"

#include <algorithm>

namespace vtmirror::agent {

namespace {

using catalogue::CycleRecord;

constexpr int enough_for_a_day = 50;

bool lists_delta_of(const std::vector<core::Listed>& listed, base::Date day) {
  return std::any_of(listed.begin(), listed.end(),
                     [day](const core::Listed& file) { return file.kind == core::Kind::delta && file.date == day; });
}

bool is_complete(const CycleRecord& cycle) { return cycle.finished && cycle.outcome == catalogue::Outcome::complete; }

bool was_stopped(const CycleRecord& cycle) { return cycle.finished && cycle.failure && core::is_stop(*cycle.failure); }

std::optional<core::LastCycle> last_of(const std::vector<CycleRecord>& cycles, const std::vector<core::Listed>& listed,
                                       const core::Schedule& schedule, const core::Zone& zone) {
  if (cycles.empty()) return std::nullopt;
  const auto& newest = cycles.front();
  core::LastCycle last;
  last.started = newest.started;
  last.finished = newest.finished.value_or(newest.started);
  last.complete = is_complete(newest);
  const auto day = core::day_served(schedule, zone, newest.started);
  last.todays_listed = lists_delta_of(listed, day);
  for (const auto& past : cycles) {
    if (is_complete(past) || core::day_served(schedule, zone, past.started) != day) break;
    ++last.failures;
  }
  // A cycle that was cut or stopped is taken up at once; not for ever, in case that it is the cycle that kills us.
  last.cut = !newest.finished || was_stopped(newest);
  if (last.cut && last.failures <= core::enough_cuts) return std::nullopt;
  return last;
}

/// The end that counts is that of a cycle that came to one by itself; what was cut since is counted.
void add_end(core::HealthFacts& facts, const std::vector<CycleRecord>& cycles) {
  for (const auto& cycle : cycles) {
    if (was_stopped(cycle)) continue;
    if (!cycle.finished) {
      ++facts.cuts;
      continue;
    }
    facts.end = {is_complete(cycle), cycle.outcome == catalogue::Outcome::partial, cycle.failure};
    return;
  }
}

base::Result<void> add_files(core::HealthFacts& facts, const catalogue::Catalogue& c) {
  auto listing = c.last_listing();
  if (!listing) return listing.error();
  if (*listing) {
    facts.listed_at = (*listing)->at;
    facts.listed = std::move((*listing)->files);
  }
  const auto files = c.files();
  if (!files) return files.error();
  for (const auto& file : *files) facts.held.push_back({file.kind, file.name, file.date, file.size});
  auto failures = c.failures();
  if (!failures) return failures.error();
  facts.failures = std::move(*failures);
  const auto quarantined = c.quarantined();
  if (!quarantined) return quarantined.error();
  for (const auto& file : *quarantined) {
    facts.quarantined.push_back({core::FailureKind::damaged, file.cause});
    facts.quarantined.back().cause.subject = file.name;
  }
  return {};
}

}  // namespace

base::Result<Past> read_past(const catalogue::Catalogue& c, const core::Schedule& schedule, const core::Zone& zone) {
  const auto cycles = c.history(enough_for_a_day);
  if (!cycles) return cycles.error();
  Past past;
  if (auto added = add_files(past.facts, c); !added) return added.error();
  add_end(past.facts, *cycles);
  past.last = last_of(*cycles, past.facts.listed, schedule, zone);
  const auto first = c.first_cycle();
  if (!first) return first.error();
  past.facts.first_cycle = *first;
  auto problems = c.problems();
  if (!problems) return problems.error();
  past.problems = std::move(*problems);
  return past;
}

}  // namespace vtmirror::agent
