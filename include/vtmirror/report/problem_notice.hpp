// What the channels send of a problem. Pure.
#pragma once

#include "vtmirror/core/notice.hpp"
#include "vtmirror/core/problem.hpp"

namespace vtmirror::report {

/// A problem began, or is over; the sentence says what to do while it lasts.
core::Notice problem_notice(const core::Problem& problem, core::Stage stage, base::Time at);

}  // namespace vtmirror::report
