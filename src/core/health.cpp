#include "vtmirror/core/health.hpp"

#include "vtmirror/core/daemon_state.hpp"

#include <algorithm>

namespace vtmirror::core {
namespace {

constexpr base::Milliseconds longest_wait = std::chrono::hours(12);

const Problem* find(const std::vector<Problem>& problems, ProblemCode code) {
  const auto found = std::find_if(problems.begin(), problems.end(), [&](const Problem& p) { return p.code == code; });
  return found == problems.end() ? nullptr : &*found;
}

bool lists(const std::vector<Listed>& listed, std::string_view name) {
  return std::any_of(listed.begin(), listed.end(), [&](const Listed& file) { return file.name == name; });
}

/// Whether the day's delta is listed or held, or one that replaces it: a later delta, or a later bulk file.
bool has_come(const HealthFacts& facts, base::Date day) {
  const auto makes_up = [day](const Listed& file) {
    return file.kind == Kind::delta ? file.date >= day : file.date > day;
  };
  return std::any_of(facts.files.listed.begin(), facts.files.listed.end(), makes_up) ||
         std::any_of(facts.files.held.begin(), facts.files.held.end(), makes_up);
}

/// The day whose delta should be listed by now and is not.
std::optional<base::Date> late_day(const HealthFacts& facts, const Schedule& schedule, const Zone& zone, bool gave_up,
                                   const std::vector<Problem>& before, base::Time now) {
  if (const auto* known = find(before, ProblemCode::late_delta)) {
    const auto day = day_served(schedule, zone, std::min(known->since, now));
    if (!has_come(facts, day)) return day;
  }
  if (!facts.files.listed_at || !facts.files.first_cycle) return std::nullopt;
  const auto today = day_served(schedule, zone, now);
  const auto is_late = [&](base::Date day, base::Time asked_since) {
    return zone.day_of(*facts.files.first_cycle) <= day && *facts.files.listed_at >= asked_since &&
           *facts.files.listed_at <= now && !has_come(facts, day);
  };
  if (gave_up && is_late(today, zone.instant(today, schedule.at))) return today;
  const auto yesterday = base::previous_day(today);
  if (is_late(yesterday, zone.instant(yesterday, schedule.at) + schedule.give_up)) return yesterday;
  return std::nullopt;
}

/// The first failure, with the number of the others.
Cause first_of(const std::vector<Failure>& failures) {
  auto cause = failures.front().cause;
  if (failures.size() > 1) cause.fields.push_back({"more", static_cast<std::int64_t>(failures.size()) - 1});
  return cause;
}

/// Each failure once: for a quarantined file, only its quarantine is reported; for a refused entry, its refusal. A held
/// file that is lost is reported beside either, because somebody can put it back.
std::vector<Failure> by_cause(const HealthFacts& facts) {
  std::vector<Failure> causes;
  for (const auto& file : facts.files.quarantined)
    if (lists(facts.files.listed, file.cause.subject)) causes.push_back(file);
  causes.insert(causes.end(), facts.files.refused.begin(), facts.files.refused.end());
  const auto known_now = static_cast<std::ptrdiff_t>(causes.size());
  for (const auto& failure : facts.failures) {
    const auto same = [&](const Failure& known) {
      return failure.kind != FailureKind::lost && !failure.cause.subject.empty() &&
             known.cause.subject == failure.cause.subject;
    };
    if (std::none_of(causes.begin(), causes.begin() + known_now, same)) causes.push_back(failure);
  }
  return causes;
}

/// The codes that a cycle's failures map to.
constexpr std::array codes_of_failures{
    ProblemCode::low_space,     ProblemCode::quarantined_file, ProblemCode::damaged_file, ProblemCode::refused_entry,
    ProblemCode::missing_files, ProblemCode::empty_listing,    ProblemCode::cycle_failed};

void keep_failures(std::vector<Problem>& problems, const std::vector<Problem>& before) {
  for (const auto code : codes_of_failures)
    if (const auto* known = find(before, code)) problems.push_back(*known);
}

void add_failures(std::vector<Problem>& problems, const HealthFacts& facts) {
  const auto causes = by_cause(facts);
  for (const auto code : codes_of_failures) {
    std::vector<Failure> own;
    std::copy_if(causes.begin(), causes.end(), std::back_inserter(own),
                 [&](const Failure& failure) { return problem_of(failure) == code; });
    if (!own.empty()) problems.push_back({code, {}, first_of(own), static_cast<int>(own.size())});
  }
}

/// What readings found counts until it is no longer so, whatever the last cycle knew of it.
void add_damage(std::vector<Problem>& problems, const HealthFacts& facts) {
  if (facts.files.damaged.empty()) return;
  auto damaged = facts.files.damaged;
  for (const auto& failure : facts.failures) {
    const auto same = [&](const Failure& known) { return known.cause.subject == failure.cause.subject; };
    if (failure.kind == FailureKind::lost && std::none_of(damaged.begin(), damaged.end(), same))
      damaged.push_back(failure);
  }
  std::erase_if(problems, [](const Problem& problem) { return problem.code == ProblemCode::damaged_file; });
  problems.push_back({ProblemCode::damaged_file, {}, first_of(damaged), static_cast<int>(damaged.size())});
}

/// The problem that the end of a cycle is, which no failure of a file explains.
ProblemCode end_of(const Failure& why) {
  return why.cause.code == base::Errc::empty_listing ? ProblemCode::empty_listing : ProblemCode::cycle_failed;
}

/// Adds the failure of the last cycle, if no failure of a file explains it.
void add_end(std::vector<Problem>& problems, const HealthFacts& facts, const std::vector<Problem>& before) {
  const bool explained = facts.end && (facts.end->complete || (facts.end->tried && !facts.failures.empty()));
  const auto add = [&](ProblemCode code, Cause cause) {
    if (find(problems, code) == nullptr) problems.push_back({code, {}, std::move(cause)});
  };
  if (facts.end && !explained) {
    const auto why = facts.end->failure.value_or(Failure{});
    // A full disk can make the catalogue fail before any file does.
    const bool space = why.kind == FailureKind::no_space || why.cause.code == base::Errc::no_space;
    add(space ? ProblemCode::low_space : end_of(why), why.cause);
  }
  const auto* empty = find(before, ProblemCode::empty_listing);
  if (empty != nullptr && facts.end && !facts.end->complete && !facts.end->tried) add(empty->code, empty->cause);
  if (facts.cuts > enough_cuts) add(ProblemCode::cycle_failed, {.fields = {{"cuts", std::int64_t{facts.cuts}}}});
}

void add_channels(std::vector<Problem>& problems, const std::vector<FailingChannel>& failing) {
  if (failing.empty()) return;
  const auto oldest =
      std::min_element(failing.begin(), failing.end(), [](const auto& a, const auto& b) { return a.since < b.since; });
  Problem problem{ProblemCode::channel_failing, oldest->since};
  problem.files = static_cast<int>(failing.size());
  problem.cause = oldest->cause;
  problem.cause.subject = oldest->name;
  problem.cause.fields = {{"waiting", oldest->waiting}, {"oldest", base::iso8601(oldest->since)}};
  if (failing.size() > 1) problem.cause.fields.push_back({"more", static_cast<std::int64_t>(failing.size()) - 1});
  problems.push_back(std::move(problem));
}

void add_consumers(std::vector<Problem>& problems, const std::vector<BehindConsumer>& behind) {
  if (behind.empty()) return;
  const auto& last = *std::ranges::min_element(behind, {}, &BehindConsumer::since);
  Problem problem{ProblemCode::consumer_behind, {}, {.subject = last.name}, static_cast<int>(behind.size())};
  problem.cause.fields = {{"waiting", last.files}, {"oldest", base::iso8601(last.since)}};
  if (behind.size() > 1) problem.cause.fields.push_back({"more", static_cast<std::int64_t>(behind.size()) - 1});
  problems.push_back(std::move(problem));
}

}  // namespace

std::vector<Problem> judge(const HealthFacts& facts, const Schedule& schedule, const Zone& zone, bool gave_up,
                           const std::vector<Problem>& before, base::Time now) {
  std::vector<Problem> problems;
  if (facts.corrected) {
    keep_failures(problems, before);
  } else {
    add_failures(problems, facts);
    add_end(problems, facts, before);
  }
  add_damage(problems, facts);
  if (const auto day = late_day(facts, schedule, zone, gave_up, before, now)) {
    // Problems are identified by code and day, so `since` must stay within the day.
    const auto since = zone.instant(*day, schedule.at) + std::min<base::Milliseconds>(schedule.give_up, longest_wait);
    problems.push_back({ProblemCode::late_delta, std::min(since, now), {.subject = base::iso8601(*day)}});
  }
  if (facts.settings_refused) problems.push_back({ProblemCode::settings_refused, {}, *facts.settings_refused});
  if (!facts.unrepaired.empty()) {
    auto cause = facts.unrepaired.front();
    const auto count = static_cast<std::int64_t>(facts.unrepaired.size());
    if (count > 1) cause.fields.push_back({"more", count - 1});
    problems.push_back({ProblemCode::repair_failed, {}, std::move(cause), static_cast<int>(count)});
  }
  if (facts.full_soon && find(problems, ProblemCode::low_space) == nullptr)
    problems.push_back({ProblemCode::disk_forecast, {}, *facts.full_soon});
  if (facts.catalogue_rebuilt) problems.push_back(*facts.catalogue_rebuilt);
  add_channels(problems, facts.failing);
  add_consumers(problems, facts.behind);
  return problems;
}

std::vector<Failure> refused_in(const Calendar& calendar) {
  std::vector<Failure> refused;
  const auto add = [&refused](const std::string& name, const FailedCheck& failed, const std::string& why) {
    refused.push_back({FailureKind::refused_entry, refusal(failed, why, name)});
  };
  for (const auto& file : calendar.files)
    if (file.listed && !file.refused.empty()) add(file.name, file.failed, file.refused);
  for (const auto& entry : calendar.undated) add(entry.name, entry.failed, entry.why);
  return refused;
}

ProblemChanges compare(const std::vector<Problem>& before, std::vector<Problem> found, base::Time now) {
  ProblemChanges changes;
  for (auto& problem : found) {
    const auto* known = find(before, problem.code);
    if (known != nullptr) problem.since = std::min(known->since, now);
    if (problem.since == base::Time{}) problem.since = now;
    if (known == nullptr) changes.began.push_back(problem);
    if (known != nullptr && known->files < problem.files) changes.worse.push_back(problem);
    // A count that was reported once is not reported again when the problem returns to it.
    if (known != nullptr) problem.files = std::max(problem.files, known->files);
  }
  for (const auto& problem : before)
    if (find(found, problem.code) == nullptr) changes.over.push_back(problem);
  changes.now = std::move(found);
  return changes;
}

std::string_view name(State state) noexcept {
  switch (state) {
    case State::starting:
      return "starting";
    case State::idle:
      return "idle";
    case State::syncing:
      return "syncing";
    case State::waiting:
      return "waiting";
    case State::stopping:
      break;
  }
  return "stopping";
}

}  // namespace vtmirror::core
