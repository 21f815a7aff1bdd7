// The settings of a running daemon: made from the configuration at the start and at each reload.
// Promises that a reload changes nothing where the new settings have a mistake or change what only a start reads.
#pragma once

#include "vtmirror/agent/daemon.hpp"
#include "vtmirror/wiring/running_daemon.hpp"

namespace vtmirror::wiring {

/// With the secrets, which are read again. Errors: config, io.
base::Result<agent::DaemonSettings> daemon_settings(const settings::Config& config,
                                                    const settings::Environment& environment);

/// The settings file, read again for a daemon that uses `running`. Errors: config, with every mistake, or with the
/// changed keys that need a restart, which are then its subject.
base::Result<settings::Config> read_again(const RunOptions& options, const settings::Config& running,
                                          const settings::Environment& environment);

}  // namespace vtmirror::wiring
