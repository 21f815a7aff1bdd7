// `vtmirror run`: the daemon in the foreground, as systemd starts it.
#pragma once

#include "cli/arguments.hpp"
#include "cli/config.hpp"
#include "cli/environment.hpp"

namespace vtmirror::cli {

ExitStatus run_daemon(const Arguments& arguments, const Config& config, const Environment& environment);

}  // namespace vtmirror::cli
