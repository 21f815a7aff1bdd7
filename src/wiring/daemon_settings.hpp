// The settings of a running daemon: made from the settings file at the start and at each reload.
// Promises that a reload changes nothing if the new settings have a mistake or change what only a start reads.
#pragma once

#include "vtmirror/agent/daemon.hpp"
#include "vtmirror/wiring/running_daemon.hpp"

#include <variant>

namespace vtmirror::wiring {

/// With the secrets, which are read again. Errors: config, io.
base::Result<agent::DaemonSettings> daemon_settings(const settings::Config& config,
                                                    const settings::Environment& environment);

/// What a daemon uses from a reload on.
struct NewSettings {
  settings::Config config;
  agent::DaemonSettings daemon;
};

/// The settings file and the secrets, read again for a daemon that uses `running`; or why they are refused, as the
/// problem keeps it: each mistake is a field of its own (`mistake_1`), and so is each changed key that needs a restart
/// (`restart_1`).
std::variant<NewSettings, core::Cause> read_again(const RunOptions& options, const settings::Config& running,
                                                  const settings::Environment& environment);

}  // namespace vtmirror::wiring
