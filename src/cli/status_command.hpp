// `vtmirror status`: the daemon's status as a table, as JSON, as a monitoring plugin's line, or live.
// Works without a readable settings file.
#pragma once

#include "cli/arguments.hpp"
#include "vtmirror/report/status.hpp"
#include "vtmirror/settings/environment.hpp"

namespace vtmirror::cli {

ExitStatus status(const Arguments& arguments, const settings::Environment& environment);

/// Whether the log of `--watch` gets a line for `now` after one for `before`: for each file, change of state and
/// problem, but not for each megabyte.
bool is_worth_a_line(const report::Status& before, const report::Status& now);

}  // namespace vtmirror::cli
