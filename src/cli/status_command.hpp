// `vtmirror status`: what the daemon says of itself, as a table, as JSON, as a monitoring plugin's line, or live.
// Needs no readable configuration.
#pragma once

#include "cli/arguments.hpp"
#include "vtmirror/report/status.hpp"
#include "vtmirror/settings/environment.hpp"

namespace vtmirror::cli {

ExitStatus status(const Arguments& arguments, const settings::Environment& environment);

/// Whether a log of `--watch` should have a line for `now` behind one for `before`: not for each megabyte, but for each
/// file, each change of state and each problem.
bool is_worth_a_line(const report::Status& before, const report::Status& now);

}  // namespace vtmirror::cli
