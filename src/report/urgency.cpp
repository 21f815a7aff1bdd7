#include "vtmirror/report/urgency.hpp"

#include "vtmirror/report/problem_facts.hpp"

#include <algorithm>

namespace vtmirror::report {
namespace {

/// Of a code of another version by what its daemon says of it.
Rank rank_of(const ProblemStatus& problem) {
  if (const auto facts = facts_of(problem.code)) return facts->rank;
  return problem.severity == core::Severity::error ? Rank::error : Rank::warning;
}

}  // namespace

std::vector<ProblemStatus> by_urgency(std::vector<ProblemStatus> problems) {
  std::ranges::stable_sort(problems, {}, rank_of);
  return problems;
}

}  // namespace vtmirror::report
