// The daemon put together: machine, agent, channels, socket, signals and the supervisor, and the settings read again.
// Promises that its parts end in the reverse order in which they began. Never decides what the daemon does.
#pragma once

#include "vtmirror/base/result.hpp"
#include "vtmirror/ports/journal.hpp"
#include "vtmirror/settings/config.hpp"
#include "vtmirror/settings/environment.hpp"
#include "vtmirror/terminal/terminal.hpp"

#include <optional>
#include <string>

namespace vtmirror::wiring {

/// What the command line says of a run, beside the settings.
struct RunOptions {
  std::string config;                 ///< the settings file, which a reload reads again
  std::optional<std::string> socket;  ///< in the place of `control.socket`
  std::optional<ports::Level> log_level;
  terminal::ColourChoice colour = terminal::ColourChoice::automatic;
};

/// Runs the daemon until it is asked to stop. Errors: those of `Machine::open` and `agent::Daemon::run`; config, for a
/// socket or an address that cannot be used; catalogue, where it was found damaged at work: it is closed then, and is
/// to be moved aside.
base::Result<void> run_daemon(const RunOptions& options, const settings::Config& config,
                              const settings::Environment& environment);

}  // namespace vtmirror::wiring
