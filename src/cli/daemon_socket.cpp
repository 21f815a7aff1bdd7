#include "cli/daemon_socket.hpp"

#include "cli/config_load.hpp"

#include <iostream>

namespace vtmirror::cli {

/// A mistake elsewhere in the file is no reason not to look where it says.
std::string socket_of(const Arguments& arguments) {
  if (arguments.socket) return *arguments.socket;
  const auto read = load_config(arguments.config);
  return read.has_value() ? read->config.control.socket : Config().control.socket;
}

bool is_absent(const base::Error& error) noexcept {
  return error.code == base::Errc::unreachable || error.code == base::Errc::timed_out;
}

ExitStatus tell_unanswered(const base::Error& error) {
  std::cerr << "vtmirror: " << (error.detail.empty() ? error.message() : error.detail) << '\n';
  if (!is_absent(error)) return failed;
  std::cerr << "vtmirror: start it with `systemctl start vtmirror`, or name its socket with --socket\n";
  return no_daemon;
}

}  // namespace vtmirror::cli
