// The settings of a running daemon: made from the settings file at the start and at each reload.
// Promises that a reload changes nothing if the new settings have a mistake or change what only a start reads.
#pragma once

#include "vtmirror/agent/daemon.hpp"
#include "vtmirror/control/control.hpp"
#include "vtmirror/ports/journal.hpp"
#include "vtmirror/wiring/running_daemon.hpp"

#include <memory>
#include <string>
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

/// journald's where stderr leads to it, and lines on stderr elsewhere.
std::unique_ptr<ports::Journal> daemon_journal(const RunOptions& options, const settings::Environment& environment);

/// The setting of an address that cannot be used; the error names the address, so that both may be meant.
std::string address_setting(const control::ControlSettings& control);

}  // namespace vtmirror::wiring
