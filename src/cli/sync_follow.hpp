// `vtmirror sync` where a daemon holds the mirror: the daemon runs the cycle, and this shows how it goes.
#pragma once

#include "cli/arguments.hpp"
#include "vtmirror/settings/config.hpp"
#include "vtmirror/settings/environment.hpp"

#include <optional>

namespace vtmirror::cli {

/// Asks the daemon at `control.socket` to start a cycle, or to go on with the one that runs, and follows it to its end.
/// Empty when no daemon of this mirror answers there.
std::optional<ExitStatus> follow_daemon(const Arguments& arguments, const settings::Config& config,
                                        const settings::Environment& environment);

}  // namespace vtmirror::cli
