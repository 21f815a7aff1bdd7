// The problems that stood when the daemon began, for those who read its log.
#include "vtmirror/report/event.hpp"
#include "vtmirror/report/history.hpp"
#include "vtmirror/report/sentence.hpp"
#include "wiring/daemon_answers.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

namespace vtmirror::wiring {
namespace {

std::string value_of(const ports::Event& event, std::string_view key) {
  const auto field = std::ranges::find(event.fields, key, &ports::Field::key);
  return field == event.fields.end() ? std::string() : field->value;
}

}  // namespace

void DaemonAnswers::note_problem(const ports::Event& event) {
  if (logged_standing_ || event.kind != ports::EventKind::problem_began) return;
  logged_problems_.emplace_back(value_of(event, report::problem_member), value_of(event, "reason"));
}

bool DaemonAnswers::was_logged(const core::Problem& problem) const {
  const Logged it{core::name(problem.code), report::sentence(problem, report::Names::paths)};
  return std::ranges::find(logged_problems_, it) != logged_problems_.end();
}

/// Once. What a cycle of this process ended with is in its last line. The time since when a problem stands does not say
/// whether this process has logged it: a delta is late since its deadline, which may be long before the process began.
void DaemonAnswers::log_standing_problems(const report::Status& status) {
  if (std::exchange(logged_standing_, true)) return;
  const auto& last = status.last_cycle;
  const bool has_failed = last && last->started >= began_;
  for (const auto& problem : daemon_->state().problems) {
    if (problem.since >= began_ || was_logged(problem) || !core::kind_of(problem.code).is_announced) continue;
    const bool was_said = has_failed && report::is_said_of(*last, problem.code);
    const auto what_to_do = "what to do: " + report::remedy(problem);
    log_of(problem, ports::EventKind::problem_began,
           core::severity(problem.code) == core::Severity::error ? ports::Level::error : ports::Level::warning,
           was_said ? what_to_do : report::sentence(problem) + "; " + what_to_do);
  }
  logged_problems_.clear();
}

}  // namespace vtmirror::wiring
