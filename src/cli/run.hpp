// The program behind main: reads the arguments, does the command, gives the exit status.
#pragma once

#include "vtmirror/base/result.hpp"

#include <span>
#include <string_view>

namespace vtmirror::cli {

// The program's exit statuses, which scripts rely on, and how a failed command reports its error.

enum ExitStatus : int {
  done = 0,
  failed = 1,  ///< tried and failed, or not all of it done
  wrong = 2,   ///< wrong usage or settings
  no_daemon = 3,
  unknown = 3,        ///< of `status --check`, whose other exit statuses are those of monitoring plugins too
  held = 4,           ///< another process holds the mirror
  interrupted = 130,  ///< by Ctrl-C, as a shell reports it
};

ExitStatus exit_status(base::Errc code) noexcept;

/// `status`, or `interrupted` if SIGINT ended the work before it was done. `signal` is the first one that came, or 0.
ExitStatus status_after(int signal, ExitStatus status) noexcept;

/// Prints on stderr what happened and what to do about it; returns the matching exit status.
ExitStatus fail(const base::Error& error);
/// The same for a request that the daemon refused, or whose answer cannot be read. With advice only on what the
/// daemon's work met.
ExitStatus fail_refused(const base::Error& error);
/// If the daemon forbade it: who may "start a cycle", and that it is tried by "sudo vtmirror sync".
void say_who_may(const base::Error& error, std::string_view work, std::string_view command);

int run(std::span<const char* const> arguments);

}  // namespace vtmirror::cli
