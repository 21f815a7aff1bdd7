#include "cli/run.hpp"

#include "cli/arguments.hpp"
#include "cli/changes_command.hpp"
#include "cli/config_command.hpp"
#include "cli/mirror_commands.hpp"
#include "cli/notify_command.hpp"
#include "cli/run_command.hpp"
#include "cli/secret_command.hpp"
#include "cli/secret_status.hpp"
#include "cli/status_command.hpp"
#include "cli/sync_command.hpp"
#include "vtmirror/settings/environment.hpp"

#include <iostream>
#include <variant>

namespace vtmirror::cli {
namespace {

ExitStatus say(const Farewell& farewell) {
  (farewell.status == done ? std::cout : std::cerr) << farewell.text << std::flush;
  return farewell.status;
}

ExitStatus carry_out(const Arguments& arguments, const settings::Environment& environment) {
  if (arguments.command == Command::config_check) return check_config(arguments, environment);
  if (arguments.command == Command::config_show) return show_config(arguments, environment);
  if (arguments.command == Command::status) return status(arguments, environment);
  if (arguments.command == Command::changes) return changes(arguments, environment);
  const auto read = load_or_tell(arguments, environment);
  if (!read) return wrong;
  if (arguments.command == Command::run) return run_daemon(arguments, read->config, environment);
  if (arguments.command == Command::sync) return sync(arguments, read->config, environment);
  if (arguments.command == Command::notify_test) return test_channels(arguments, read->config, environment);
  if (arguments.command == Command::secret_status) return secret_status(arguments, read->config, environment);
  if (arguments.command == Command::secret_rotate) return rotate_secret(arguments, read->config, environment);
  if (arguments.command == Command::secret_set) return set_secret(arguments, read->config, environment);
  return answer(arguments, read->config);
}

}  // namespace

int run(std::span<const char* const> arguments) {
  const auto environment = settings::process_environment();
  const auto parsed = parse_arguments(arguments, environment);
  if (const auto* farewell = std::get_if<Farewell>(&parsed)) return say(*farewell);
  const int status = carry_out(std::get<Arguments>(parsed), environment);
  // If output was lost (a full disk, a closed pipe), a script must not take what it got for the whole.
  return std::cout.good() ? status : static_cast<int>(failed);
}

}  // namespace vtmirror::cli
