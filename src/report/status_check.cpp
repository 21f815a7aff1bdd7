#include "vtmirror/report/status_check.hpp"

#include "vtmirror/base/text.hpp"
#include "vtmirror/report/history.hpp"
#include "vtmirror/report/problem_facts.hpp"
#include "vtmirror/report/urgency.hpp"

#include <algorithm>
#include <chrono>
#include <vector>

namespace vtmirror::report {
namespace {

constexpr std::chrono::hours published_at_the_latest{14};
constexpr std::int64_t most_days_late = 2;

bool last_cycle_failed(const Status& status) {
  return status.last_cycle && status.last_cycle->outcome == core::Outcome::failed;
}

bool has_error(const Status& status) {
  return std::any_of(status.problems.begin(), status.problems.end(),
                     [](const ProblemStatus& problem) { return problem.severity == core::Severity::error; });
}

using core::ProblemCode;

bool is(const ProblemStatus& problem, ProblemCode code) { return problem.code == core::name(code); }

bool has(const Status& status, ProblemCode code) {
  return std::ranges::any_of(status.problems, [code](const ProblemStatus& problem) { return is(problem, code); });
}

Monitored monitored(const ProblemStatus& problem) {
  const auto facts = facts_of(problem.code);
  return facts ? facts->monitored : Monitored::warning;
}

/// An expired secret has a problem of its own; its day is not repeated here.
std::vector<std::string> what_is_over(const Status& status) {
  std::vector<std::string> words;
  for (const auto& problem : status.problems)
    if (monitored(problem) == Monitored::critical) words.push_back(problem.code + ": " + problem.message);
  if (words.empty() && status.secret.days_left.value_or(0) < 0)
    words.push_back("the client secret has expired" + std::string(status.secret.estimated ? " (estimated)" : ""));
  return words;
}

/// Empty if the chain is as new as it should be.
std::string what_is_old(const Status& status, base::Time now) {
  const auto& through = status.chain.through;
  // The first cycle may take hours.
  if (!through) return status.last_cycle ? "nothing to load yet: no bulk file is held" : "";
  if (base::days_between(*through, expected_day(now)) <= most_days_late) return {};
  return "the chain ends on " + base::iso8601(*through);
}

/// A cycle that failed as a whole is also a problem, in the same words.
bool repeats(const ProblemStatus& problem, const LastCycleStatus& cycle) {
  return cycle.problem == ProblemCode::cycle_failed && is(problem, ProblemCode::cycle_failed);
}

/// The problem of a refused secret or key, or of a file, states the reason in more detail.
bool explains(const ProblemStatus& problem, const LastCycleStatus& cycle) {
  const auto code = core::problem_code(problem.code);
  return code && is_said_of(cycle, *code) && !repeats(problem, cycle);
}

std::string failure_words(const Status& status) {
  const auto& cycle = *status.last_cycle;
  const bool is_explained =
      std::ranges::any_of(status.problems, [&](const ProblemStatus& problem) { return explains(problem, cycle); });
  return cycle.error.empty() || is_explained ? "the last cycle failed" : "the last cycle failed: " + cycle.error;
}

/// The reasons for the result, the worst first.
struct Reasons {
  std::vector<std::string> critical;
  std::vector<std::string> warning;
};

Reasons reasons_of(const Status& status, base::Time now) {
  Reasons reasons;
  reasons.critical = what_is_over(status);
  if (auto old = what_is_old(status, now); !old.empty()) reasons.critical.push_back(std::move(old));
  const bool failed = last_cycle_failed(status);
  auto& weight = failed && has_error(status) ? reasons.critical : reasons.warning;
  if (failed) weight.push_back(failure_words(status));
  for (const auto& problem : by_urgency(status.problems)) {
    if (failed && repeats(problem, *status.last_cycle)) continue;
    if (monitored(problem) == Monitored::critical) continue;
    reasons.warning.push_back(problem.code + ": " + problem.message);
  }
  return reasons;
}

std::string good_news(const Status& status) {
  const auto through = status.chain.through ? "through " + base::iso8601(*status.chain.through) : "nothing held yet";
  return std::string(core::name(status.state)) + "; " + through + (status.chain.complete ? ", complete" : "");
}

/// "U" is a plugin's word for a value that is not known.
std::string performance(const Status& status, base::Time now) {
  std::string age = "U";
  if (status.chain.through) {
    const auto length = now - std::chrono::sys_days(*status.chain.through);
    age = std::to_string(std::chrono::floor<std::chrono::seconds>(length).count()) + 's';
  }
  const auto& mirror = status.mirror;
  const auto& left = status.secret.days_left;
  const auto days = left && !has(status, ProblemCode::secret_refused) ? std::to_string(*left) : "U";
  return "age=" + age + ";; files=" + std::to_string(mirror.files) + " bytes=" + std::to_string(mirror.bytes) +
         "B free=" + std::to_string(mirror.free) + "B days_left=" + days;
}

/// One line, in which the bar belongs to the performance data.
std::string words_of(const std::vector<std::string>& reasons) {
  std::string text;
  for (const auto& reason : reasons) text += (text.empty() ? "" : "; ") + reason;
  std::replace(text.begin(), text.end(), '|', '/');
  return base::printable(text, 1'000);
}

std::string line_of(const std::string& word, const std::string& words) { return "VTMIRROR " + word + " - " + words; }

}  // namespace

base::Date expected_day(base::Time now) {
  return base::Date(std::chrono::floor<std::chrono::days>(now - published_at_the_latest));
}

CheckResult judge(const Status& status, base::Time now) {
  auto reasons = reasons_of(status, now);
  const auto data = " | " + performance(status, now);
  auto all = reasons.critical;
  all.insert(all.end(), reasons.warning.begin(), reasons.warning.end());
  // What is known may be long past, the good and the bad.
  const auto is_unknown = [](const ProblemStatus& problem) { return monitored(problem) == Monitored::unknown; };
  if (std::ranges::any_of(status.problems, is_unknown))
    return {Judgement::unknown, line_of("UNKNOWN", words_of(all)) + data};
  if (!reasons.critical.empty()) return {Judgement::critical, line_of("CRITICAL", words_of(all)) + data};
  if (!reasons.warning.empty()) return {Judgement::warning, line_of("WARNING", words_of(reasons.warning)) + data};
  return {Judgement::ok, line_of("OK", good_news(status)) + data};
}

CheckResult judge(const base::Error& error) {
  return {Judgement::unknown, line_of("UNKNOWN", words_of({error.detail.empty() ? error.message() : error.detail}))};
}

}  // namespace vtmirror::report
