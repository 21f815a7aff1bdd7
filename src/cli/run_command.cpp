#include "cli/commands.hpp"

#include "vtmirror/report/advice.hpp"
#include "vtmirror/terminal/terminal.hpp"
#include "vtmirror/wiring/catalogue_rescue.hpp"
#include "vtmirror/wiring/machine.hpp"
#include "vtmirror/wiring/running_daemon.hpp"

#include <sys/stat.h>

#include <iostream>

namespace vtmirror::cli {

ExitStatus run_daemon(const Arguments& arguments, const settings::Config& config,
                      const settings::Environment& environment) {
  wiring::forbid_core_dumps();
  ::umask(022);
  const wiring::RunOptions options{arguments.config, arguments.socket, arguments.log_level, arguments.colour};
  auto ended = wiring::run_daemon(options, config, environment);
  // Damage found at run time is repaired once without a restart; if it returns at once, the disk is at fault.
  if (!ended && ended.error().code == base::Errc::catalogue_damaged) {
    std::cerr << report::tell(ended.error());
    ended = wiring::move_catalogue_aside(config.mirror.catalogue, terminal::machine_now());
    if (ended) ended = wiring::run_daemon(options, config, environment);
  }
  if (!ended && ended.error().code != base::Errc::cancelled) return fail(ended.error());
  return done;
}

}  // namespace vtmirror::cli
