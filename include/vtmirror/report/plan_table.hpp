// What `vtmirror sync --dry-run` prints.
#pragma once

#include "vtmirror/core/reconcile.hpp"

#include <cstddef>
#include <string>

namespace vtmirror::report {

/// A row an action, with its reason, and a line with the totals.
std::string plan_text(const core::Plan& plan, std::size_t width);

}  // namespace vtmirror::report
