// `vtmirror run`: the daemon, in the foreground.
#pragma once

#include "cli/arguments.hpp"
#include "vtmirror/settings/config.hpp"

namespace vtmirror::cli {

ExitStatus run_daemon(const Arguments& arguments, const settings::Config& config,
                      const settings::Environment& environment);

}  // namespace vtmirror::cli
