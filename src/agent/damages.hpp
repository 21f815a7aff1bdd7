// What readings of held files have found, as facts for the judgement of problems.
// Changes nothing.
#pragma once

#include "vtmirror/catalogue/catalogue.hpp"
#include "vtmirror/core/health.hpp"

namespace vtmirror::agent {

/// `facts` has what is listed: a file that can be downloaded again has a remedy of its own. Errors: catalogue.
base::Result<void> add_damages(core::HealthFacts& facts, const catalogue::Files& catalogue);

}  // namespace vtmirror::agent
