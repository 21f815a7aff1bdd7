#include "cli/status_command.hpp"

#include "cli/control_client.hpp"
#include "cli/daemon_socket.hpp"
#include "cli/local_time.hpp"
#include "cli/status_check.hpp"
#include "cli/status_watch.hpp"
#include "cli/terminal.hpp"
#include "vtmirror/core/status.hpp"

#include <unistd.h>

#include <iostream>
#include <string>

namespace vtmirror::cli {
namespace {

struct Answer {
  std::string json;
  core::Status status;
};

base::Result<Answer> ask_status(const std::string& socket) {
  auto json = ask(socket, {"GET", "/v1/status"});
  if (json.has_error()) return json.error();
  auto parsed = core::parse_status(*json);
  if (parsed.has_error()) return parsed.error();
  return Answer{std::move(*json), std::move(*parsed)};
}

ExitStatus check(const base::Result<Answer>& answer) {
  const auto verdict = answer.has_error() ? judge(answer.error()) : judge(answer->status, machine_now());
  std::cout << verdict.line << '\n' << std::flush;
  // A plugin's exit statuses are its own.
  return static_cast<ExitStatus>(verdict.judgement);
}

}  // namespace

ExitStatus status(const Arguments& arguments, const Environment& environment) {
  const auto socket = socket_of(arguments);
  if (arguments.watch) return watch(arguments, socket, environment);
  const auto answer = ask_status(socket);
  if (arguments.check) return check(answer);
  if (answer.has_error()) return tell_unanswered(answer.error());
  if (arguments.json) {
    std::cout << answer->json << (answer->json.ends_with('\n') ? "" : "\n") << std::flush;
    return done;
  }
  const core::TableLook look{static_cast<int>(table_width(STDOUT_FILENO)),
                             use_colour(arguments.colour, STDOUT_FILENO, environment), &utc_offset};
  std::cout << core::status_table(answer->status, machine_now(), look) << std::flush;
  return done;
}

}  // namespace vtmirror::cli
