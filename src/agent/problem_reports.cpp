#include "agent/problem_reports.hpp"

#include "vtmirror/core/listing.hpp"
#include "vtmirror/core/notice.hpp"
#include "vtmirror/report/advice.hpp"
#include "vtmirror/report/event.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>

namespace vtmirror::agent {

namespace {

ports::Event event(ports::EventKind kind, ports::Level level, std::string message, const core::Problem& problem) {
  return {kind,
          level,
          std::move(message),
          {{report::problem_member, std::string(name(problem.code))},
           {"reason", report::sentence(problem, report::Names::paths)}}};
}

ports::Level level_of(const core::Problem& problem) {
  return core::severity(problem.code) == core::Severity::error ? ports::Level::error : ports::Level::warning;
}

constexpr char more[] = "now affects more: ";

/// Whether a cycle's last line in the journal, or that of a reload, has said the cause.
bool was_said(const core::Problem& problem) {
  using core::ProblemCode;
  const bool is_end = problem.code == ProblemCode::cycle_failed || problem.code == ProblemCode::empty_listing;
  return (is_end && problem.cause.code) || problem.code == ProblemCode::secret_refused ||
         problem.code == ProblemCode::key_revoked || problem.code == ProblemCode::settings_refused;
}

/// What happened and what to do about it, or only the latter.
std::string words_of(const core::Problem& problem, const report::NextTry& next) {
  const auto what_to_do =
      next.at ? report::remedy(problem) + report::next_try(problem, next) : report::remedy_by_hand(problem);
  return was_said(problem) ? "what to do: " + what_to_do : report::sentence(problem) + "; what to do: " + what_to_do;
}

bool is_about(const core::Problem& problem, const core::Listed& file) {
  using core::ProblemCode;
  switch (problem.code) {
    case ProblemCode::late_delta:
      return file.kind == core::Kind::delta && base::iso8601(file.date) == problem.cause.subject;
    case ProblemCode::missing_files:
    case ProblemCode::damaged_file:
    case ProblemCode::quarantined_file:
    case ProblemCode::refused_entry:
    case ProblemCode::low_space:
      return file.name == problem.cause.subject;
    default:
      return false;
  }
}

/// Of a file that only the service can still bring: once it is not listed any more, it never comes.
bool waits_for_a_file(const core::Problem& problem) {
  using core::ProblemCode;
  constexpr std::array codes{ProblemCode::missing_files, ProblemCode::quarantined_file, ProblemCode::refused_entry,
                             ProblemCode::low_space};
  return std::ranges::find(codes, problem.code) != codes.end() && core::read_name(problem.cause.subject);
}

/// Whether what is held under its name may be an edition from before the problem.
bool may_be_older(const core::Problem& problem) {
  return problem.code == core::ProblemCode::quarantined_file || problem.code == core::ProblemCode::refused_entry;
}

}  // namespace

core::ProblemChanges announced(core::ProblemChanges changes) {
  const auto is_silent = [](const core::Problem& problem) { return !core::kind_of(problem.code).is_announced; };
  std::erase_if(changes.began, is_silent);
  std::erase_if(changes.over, is_silent);
  return changes;
}

void log(ports::Journal& journal, const core::ProblemChanges& changes, const report::NextTry& next) {
  using ports::EventKind;
  for (const auto& problem : changes.began)
    journal.log(event(EventKind::problem_began, level_of(problem), words_of(problem, next), problem));
  for (const auto& problem : changes.worse)
    journal.log(event(EventKind::problem_began, level_of(problem), more + report::sentence(problem), problem));
  for (const auto& problem : changes.over)
    journal.log(event(EventKind::problem_over, ports::Level::notice, report::resolved(problem), problem));
}

std::vector<core::Notice> notices_of(const core::ProblemChanges& changes, base::Time now, const report::NextTry& next) {
  std::vector<core::Notice> notices;
  for (const auto& problem : changes.began)
    notices.push_back(report::problem_notice(problem, core::Stage::began, now, next));
  for (const auto& problem : changes.worse) {
    auto worse = report::problem_notice(problem, core::Stage::began, now, next);
    worse.message = more + worse.message;
    for (auto& field : worse.fields)
      if (auto* words = std::get_if<std::string>(&field.value); words != nullptr && field.key == core::headline_field)
        *words = more + *words;
    notices.push_back(std::move(worse));
  }
  for (const auto& problem : changes.over) notices.push_back(report::problem_notice(problem, core::Stage::over, now));
  return notices;
}

void note_published(std::vector<core::Problem>& over, const std::vector<core::Listed>& listed,
                    const std::vector<core::Listed>& held) {
  for (auto& problem : over) {
    const auto is_it = [&problem](const core::Listed& file) { return is_about(problem, file); };
    const auto came = std::ranges::find_if(held, is_it);
    const auto known = std::ranges::find_if(listed, is_it);
    const bool is_listed = known != listed.end();
    if (!is_listed && waits_for_a_file(problem) && (came == held.end() || may_be_older(problem)))
      problem.cause.fields.push_back({"unlisted", problem.cause.subject});
    else if (came != held.end() && (!is_listed || came->size == known->size))
      problem.cause.fields.push_back({"published", came->name});
    else if (problem.code == core::ProblemCode::late_delta && is_listed)
      problem.cause.fields.push_back({"listed", known->name});
  }
}

void note_replaced(std::vector<core::Problem>& over, const core::HealthFacts& facts) {
  const bool fails_as_a_whole = facts.end && !facts.end->complete && !facts.end->tried;
  if (!fails_as_a_whole) return;
  for (auto& problem : over)
    if (problem.code == core::ProblemCode::cycle_failed && !core::number(problem.cause, "cuts"))
      problem.cause.fields.push_back({report::replaced_field, std::int64_t{1}});
}

}  // namespace vtmirror::agent
