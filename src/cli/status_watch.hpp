// `vtmirror status --watch`: the status live. On a terminal the table, drawn again in place; elsewhere a line a change,
// or with --json a line of JSON for each status that the daemon tells.
#pragma once

#include "cli/arguments.hpp"
#include "cli/environment.hpp"
#include "vtmirror/core/status.hpp"

#include <string>

namespace vtmirror::cli {

/// Until a signal or the daemon's end.
ExitStatus watch(const Arguments& arguments, const std::string& socket, const Environment& environment);

/// Whether a log should have a line for `now` behind one for `before`: not for each megabyte, but for each file, each
/// change of state and each problem.
bool is_worth_a_line(const core::Status& before, const core::Status& now);

}  // namespace vtmirror::cli
