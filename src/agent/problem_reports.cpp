#include "agent/problem_reports.hpp"

#include "vtmirror/report/sentence.hpp"

#include <algorithm>

namespace vtmirror::agent {

namespace {

ports::Event event(ports::EventKind kind, ports::Level level, std::string message, const core::Problem& problem) {
  return {kind,
          level,
          std::move(message),
          {{"problem", std::string(name(problem.code))}, {"reason", report::sentence(problem, report::Names::paths)}}};
}

ports::Level level_of(const core::Problem& problem) {
  return core::severity(problem.code) == core::Severity::error ? ports::Level::error : ports::Level::warning;
}

constexpr char more[] = "now affects more: ";

}  // namespace

core::ProblemChanges announced(core::ProblemChanges changes) {
  const auto is_silent = [](const core::Problem& problem) { return !core::kind_of(problem.code).is_announced; };
  std::erase_if(changes.began, is_silent);
  std::erase_if(changes.over, is_silent);
  return changes;
}

void tell(ports::Journal& journal, const core::ProblemChanges& changes) {
  using ports::EventKind;
  for (const auto& problem : changes.began)
    journal.tell(event(EventKind::problem_began, level_of(problem), report::sentence(problem), problem));
  for (const auto& problem : changes.worse)
    journal.tell(event(EventKind::problem_began, level_of(problem), more + report::sentence(problem), problem));
  for (const auto& problem : changes.over)
    journal.tell(
        event(EventKind::problem_over, ports::Level::notice, "resolved: " + report::sentence(problem), problem));
}

std::vector<core::Notice> notices_of(const core::ProblemChanges& changes, base::Time now) {
  std::vector<core::Notice> notices;
  for (const auto& problem : changes.began) notices.push_back(report::problem_notice(problem, core::Stage::began, now));
  for (const auto& problem : changes.worse) {
    auto worse = report::problem_notice(problem, core::Stage::began, now);
    worse.message = more + worse.message;
    notices.push_back(std::move(worse));
  }
  for (const auto& problem : changes.over) notices.push_back(report::problem_notice(problem, core::Stage::over, now));
  return notices;
}

}  // namespace vtmirror::agent
