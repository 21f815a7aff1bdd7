#include "cli/commands.hpp"
#include "cli/say.hpp"

#include "vtmirror/host/local_time.hpp"
#include "vtmirror/report/advice.hpp"
#include "vtmirror/wiring/catalogue_rescue.hpp"
#include "vtmirror/wiring/machine.hpp"
#include "vtmirror/wiring/running_daemon.hpp"
#include "vtmirror/wiring/state_owner.hpp"

#include <csignal>

namespace vtmirror::cli {

ExitStatus run_daemon(const Arguments& arguments, const settings::Config& config,
                      const settings::Environment& environment) {
  wiring::forbid_core_dumps();
  if (const auto may = wiring::may_run_here(config.mirror.state_directory); !may) return fail(may.error());
  const wiring::RunOptions options{arguments.config, arguments.socket, arguments.log_level, arguments.colour};
  const auto is_damaged = [](const auto& end) { return !end && end.error().code == base::Errc::catalogue_damaged; };
  auto ended = wiring::run_daemon(options, config, environment);
  // Damage found at run time is looked for again on fresh connections, and what they find is repaired at that start.
  // Damage that only the work shows is repaired when it shows again; if it returns then too, the disk is at fault.
  if (is_damaged(ended)) {
    say(report::error_lines(ended.error()));
    ended = wiring::run_daemon(options, config, environment);
  }
  if (is_damaged(ended)) {
    say(report::error_lines(ended.error()));
    const auto moved = wiring::move_catalogue_aside(config.mirror.catalogue, host::machine_now());
    if (!moved) return fail(moved.error());
    ended = wiring::run_daemon(options, config, environment);
  }
  if (!ended) return fail(ended.error());
  return *ended == SIGINT ? interrupted : done;
}

}  // namespace vtmirror::cli
