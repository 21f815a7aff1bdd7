#include "cli/exit_status.hpp"

#include "vtmirror/client/control_client.hpp"
#include "vtmirror/report/advice.hpp"

#include <iostream>

namespace vtmirror::cli {

ExitStatus exit_status(base::Errc code) noexcept {
  if (code == base::Errc::config) return wrong;
  return code == base::Errc::locked ? held : failed;
}

ExitStatus fail(const base::Error& error) {
  std::cerr << report::tell(error);
  return exit_status(error.code);
}

ExitStatus fail_unanswered(const base::Error& error) {
  std::cerr << "vtmirror: " << (error.detail.empty() ? error.message() : error.detail) << '\n';
  if (!client::is_absent(error)) return failed;
  std::cerr << "vtmirror: start it with `sudo systemctl start vtmirror`, or give its socket with --socket\n";
  return no_daemon;
}

}  // namespace vtmirror::cli
