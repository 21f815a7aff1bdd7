#include "agent/secret_problems.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace vtmirror::agent {

bool is_forbidden(const core::HealthFacts& facts) {
  const auto* end = facts.end && facts.end->failure ? &*facts.end->failure : nullptr;
  return end != nullptr && end->cause.code == base::Errc::forbidden;
}

void add_secret_problems(std::vector<core::Problem>& problems, std::vector<core::Problem> of_secret, bool refused) {
  if (refused)
    std::erase_if(problems,
                  [](const core::Problem& problem) { return problem.code == core::ProblemCode::cycle_failed; });
  std::move(of_secret.begin(), of_secret.end(), std::back_inserter(problems));
}

void keep_untried(std::vector<core::Problem>& found, const std::vector<core::Problem>& before,
                  const SecretWatch& watch) {
  const auto keep = [&](core::ProblemCode code, bool accepted) {
    const auto known = std::ranges::find(before, code, &core::Problem::code);
    if (known == before.end() || accepted) return;
    if (std::ranges::find(found, code, &core::Problem::code) == found.end()) found.push_back(*known);
  };
  keep(core::ProblemCode::secret_refused, watch.secret_accepted());
  keep(core::ProblemCode::key_revoked, watch.key_accepted());
}

}  // namespace vtmirror::agent
