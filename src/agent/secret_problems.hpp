// The problems of the secret and the key among those that a cycle's failure is. Pure.
#pragma once

#include "agent/secret_watch.hpp"
#include "vtmirror/core/health.hpp"

#include <vector>

namespace vtmirror::agent {

/// Whether the last cycle could not try anything because the secret or the key was refused.
bool is_forbidden(const core::HealthFacts& facts);

/// A refused secret or key explains why the cycle could not try, so that failure is not a problem of its own.
void add_secret_problems(std::vector<core::Problem>& problems, std::vector<core::Problem> of_secret, bool refused);

/// Another secret or key was set, and whether it is accepted is not known yet: the problem is not over.
void keep_untried(std::vector<core::Problem>& found, const std::vector<core::Problem>& before,
                  const SecretWatch& watch);

}  // namespace vtmirror::agent
