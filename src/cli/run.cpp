#include "cli/run.hpp"

#include "cli/arguments.hpp"
#include "cli/commands.hpp"
#include "cli/say.hpp"
#include "vtmirror/client/control_client.hpp"
#include "vtmirror/report/advice.hpp"
#include "vtmirror/settings/load.hpp"
#include "vtmirror/wiring/state_owner.hpp"

#include <poll.h>
#include <unistd.h>

#include <csignal>
#include <iostream>
#include <optional>
#include <variant>

namespace vtmirror::cli {
namespace {

ExitStatus bid(const Farewell& farewell) {
  const bool is_result = farewell.status == done || farewell.is_result;
  (is_result ? std::cout : std::cerr) << farewell.text << std::flush;
  return farewell.status;
}

ExitStatus carry_out(const Arguments& arguments, const settings::Environment& environment) {
  if (arguments.command == Command::config_check) return check_config(arguments, environment);
  if (arguments.command == Command::config_init) return init_config(arguments, environment);
  if (arguments.command == Command::config_show) return show_config(arguments, environment);
  if (arguments.command == Command::status) return status(arguments, environment);
  if (arguments.command == Command::changes) return changes(arguments, environment);
  if (arguments.command == Command::next) return next(arguments, environment);
  if (arguments.command == Command::ack) return acknowledge(arguments, environment);
  if (arguments.command == Command::consumers) return consumers(arguments, environment);
  if (arguments.command == Command::wait) return wait(arguments, environment);
  const auto read = load_or_report(arguments, environment);
  if (!read) return exit_status(read.error().code);
  if (arguments.command == Command::run) return run_daemon(arguments, read->config, environment);
  if (arguments.command == Command::sync) return sync(arguments, read->config, environment);
  if (arguments.command == Command::verify) return verify(arguments, read->config, environment);
  if (arguments.command == Command::adopt) return adopt(arguments, read->config, environment);
  if (arguments.command == Command::prune) return prune(arguments, read->config, environment);
  if (arguments.command == Command::notify_test) return test_channels(arguments, read->config, environment);
  if (arguments.command == Command::secret_status) return secret_status(arguments, read->config, environment);
  if (arguments.command == Command::secret_rotate) return rotate_secret(arguments, read->config, environment);
  if (arguments.command == Command::secret_set) return set_secret(arguments, read->config, environment);
  if (arguments.command == Command::cat) return cat(arguments, read->config);
  return answer(arguments, read->config, environment);
}

/// Of a pipe: `vtmirror files | head -1` is no failure that anybody wants to read about.
bool is_reader_gone() {
  pollfd output{.fd = STDOUT_FILENO, .events = POLLOUT, .revents = 0};
  return ::poll(&output, 1, 0) == 1 && (output.revents & (POLLERR | POLLHUP)) != 0;
}

}  // namespace

int run(std::span<const char* const> arguments) {
  const auto environment = settings::process_environment();
  const auto parsed = parse_arguments(arguments, environment);
  const auto* farewell = std::get_if<Farewell>(&parsed);
  const auto* chosen = std::get_if<Arguments>(&parsed);
  const int status = farewell != nullptr ? bid(*farewell) : carry_out(*chosen, environment);
  if (std::cout.good()) return status;
  if (!is_reader_gone()) say("vtmirror: not all of the output could be written: check the disk that it goes to\n");
  // A monitoring system that did not get the line knows nothing.
  if (chosen != nullptr && chosen->command == Command::status && chosen->check) return unknown;
  // If output was lost (a full disk, a closed pipe), a script must not mistake what it got for all of it.
  return status == done ? static_cast<int>(failed) : status;
}

ExitStatus exit_status(base::Errc code) noexcept {
  if (code == base::Errc::config) return wrong;
  const bool is_held = code == base::Errc::locked || code == base::Errc::catalogue_busy;
  return is_held ? held : failed;
}

ExitStatus status_after(int signal, ExitStatus status) noexcept {
  return signal == SIGINT && status != done ? interrupted : status;
}

ExitStatus fail(const base::Error& error) {
  say(report::error_lines(error));
  return exit_status(error.code);
}

std::optional<ExitStatus> become_owner(const settings::Config& config, wiring::Missing missing) {
  const auto& place = config.mirror.state_directory;
  const auto name = wiring::become_state_owner(place, missing);
  if (!name) return fail(name.error());
  if (*name) say("vtmirror: working as user ", **name, ", to whom ", place, " belongs\n");
  return std::nullopt;
}

ExitStatus fail_refused(const base::Error& error) {
  // That a daemon starts, stops or is busy passes.
  const bool passes = error.met == base::Errc::cancelled || error.met == base::Errc::locked;
  if (error.met && !passes)
    say(report::error_lines(error));
  else
    say("vtmirror: " + (error.detail.empty() ? error.message() : error.detail) + '\n');
  return failed;
}

void say_who_may(const base::Error& error, std::string_view work, std::string_view command) {
  if (error.code != base::Errc::forbidden) return;
  say("vtmirror: only root and the daemon's user may ", work, ": try `sudo vtmirror ", command, "`\n");
}

ExitStatus fail_unanswered(const base::Error& error, const Arguments& arguments,
                           const settings::Environment& environment) {
  const auto refused = fail_refused(error);
  if (!client::is_absent(error)) return refused;
  say("vtmirror: " + report::advice(unanswered(error, arguments, environment, ::geteuid() == 0)) + '\n');
  return no_daemon;
}

}  // namespace vtmirror::cli
