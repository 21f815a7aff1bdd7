// Days that no listing covered, in words for people, and as the cause of a failure.
// Pure.
#pragma once

#include "vtmirror/base/time.hpp"
#include "vtmirror/core/problem.hpp"

#include <string>
#include <vector>

namespace vtmirror::report {

/// "no listing covered 16 and 17 Nov"
std::string unaccounted(const std::vector<base::Date>& days);
/// Why a chain is not complete that lacks these days; there is at least one. The subject is the first of them.
core::Cause unaccounted_cause(const std::vector<base::Date>& days);
/// The days of such a cause; none of any other.
std::vector<base::Date> unaccounted_in(const core::Cause& cause);

}  // namespace vtmirror::report
