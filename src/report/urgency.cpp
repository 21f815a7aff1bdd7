#include "vtmirror/report/urgency.hpp"

#include "vtmirror/core/problem.hpp"

#include <algorithm>

namespace vtmirror::report {
namespace {

using core::ProblemCode;

enum class Rank {
  access,  ///< only a person can end it, and until then nothing else ends; or what is shown may be out of date
  cycle,   ///< the whole cycle failed
  error,   ///< of a file, or of the disk
  warning,
};

Rank rank_of(const ProblemStatus& problem) {
  const auto code = core::problem_code(problem.code);
  const auto is = [&code](ProblemCode one) { return code == one; };
  if (is(ProblemCode::secret_refused) || is(ProblemCode::secret_expired) || is(ProblemCode::key_revoked) ||
      is(ProblemCode::catalogue_unreadable))
    return Rank::access;
  if (is(ProblemCode::cycle_failed) || is(ProblemCode::empty_listing)) return Rank::cycle;
  return problem.severity == core::Severity::error ? Rank::error : Rank::warning;
}

}  // namespace

std::vector<ProblemStatus> by_urgency(std::vector<ProblemStatus> problems) {
  std::ranges::stable_sort(problems, {}, rank_of);
  return problems;
}

}  // namespace vtmirror::report
