// The daemon put together: machine, agent, channels, socket, signals, supervisor, and the reload of the settings.
// Promises that its parts end in the reverse order of their start. Never decides what the daemon does.
#pragma once

#include "vtmirror/base/result.hpp"
#include "vtmirror/ports/journal.hpp"
#include "vtmirror/settings/config.hpp"
#include "vtmirror/settings/load.hpp"
#include "vtmirror/terminal/terminal.hpp"

#include <optional>
#include <string>

namespace vtmirror::wiring {

/// The options of the command line for a run.
struct RunOptions {
  std::string config;                 ///< the settings file, which a reload reads again
  std::optional<std::string> socket;  ///< overrides `control.socket`
  std::optional<ports::Level> log_level;
  terminal::ColourChoice colour = terminal::ColourChoice::automatic;
};

/// Runs the daemon until it is asked to stop; returns the signal that asked, or 0. Errors: those of `Machine::open` and
/// `agent::Daemon::run`; config, for a socket or an address that cannot be used; catalogue, if it was found damaged at
/// run time: it is closed then, and the caller must move it aside.
base::Result<int> run_daemon(const RunOptions& options, const settings::Config& config,
                             const settings::Environment& environment);

}  // namespace vtmirror::wiring
