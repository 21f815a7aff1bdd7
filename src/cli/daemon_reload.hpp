// The settings of a running daemon, read again: all of them, or none.
#pragma once

#include "cli/arguments.hpp"
#include "cli/config.hpp"
#include "cli/environment.hpp"
#include "vtmirror/agent/daemon.hpp"

namespace vtmirror::cli {

/// A configuration in the daemon's words. Errors: config (no secret to be read, no such zone).
base::Result<agent::DaemonSettings> daemon_settings(const Config& config, const Environment& environment);

/// Reads `arguments.config`. Errors: config, with every mistake a line, or the keys that only a restart can change.
base::Result<Config> read_again(const Arguments& arguments, const Config& running, const Environment& environment);

}  // namespace vtmirror::cli
