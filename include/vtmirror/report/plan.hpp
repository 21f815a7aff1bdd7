// A plan as the table of `vtmirror sync --dry-run`, and as the JSON of GET /v1/plan, written and parsed. Pure.
#pragma once

#include "vtmirror/base/result.hpp"
#include "vtmirror/core/plan.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace vtmirror::report {

/// A phrase: "partly downloaded".
std::string_view sentence(core::Reason reason) noexcept;
/// What the reason does not say of a file that is left out; may be empty. In a plan that was read from JSON, the words.
std::string detail(const core::Action& action);

/// A row for each action with its reason, and a line with the totals.
std::string plan_text(const core::Plan& plan, std::size_t width);

std::string plan_json(const core::Plan& plan);
/// Errors: protocol.
base::Result<core::Plan> parse_plan(std::string_view json);

}  // namespace vtmirror::report
