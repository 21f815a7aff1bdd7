// The order in which problems are shown to people: on the status page and by `vtmirror status`. Pure.
// Promises all problems, and among equally urgent ones the order in which they came. Never decides what is a problem.
#pragma once

#include "vtmirror/report/status.hpp"

#include <vector>

namespace vtmirror::report {

/// What keeps every cycle from its end first (a refused secret), then a cycle that failed as a whole, because other
/// problems follow from these; then the other errors; then the warnings.
std::vector<ProblemStatus> by_urgency(std::vector<ProblemStatus> problems);

}  // namespace vtmirror::report
