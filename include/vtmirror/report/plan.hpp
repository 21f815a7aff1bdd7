// A plan for people, as `vtmirror sync --dry-run` prints it, and for programs: the JSON of GET /v1/plan, written and
// read. Pure.
#pragma once

#include "vtmirror/base/result.hpp"
#include "vtmirror/core/plan.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace vtmirror::report {

/// A row an action, with its reason, and a line with the totals.
std::string plan_text(const core::Plan& plan, std::size_t width);

std::string plan_json(const core::Plan& plan);
/// Errors: protocol.
base::Result<core::Plan> parse_plan(std::string_view json);

}  // namespace vtmirror::report
