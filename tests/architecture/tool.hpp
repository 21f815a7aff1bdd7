// Runs a program of the machine for checks that need it, and returns its exit status and what it printed.
// `test::absent` says whether it is installed: a test whose program is missing is reported as skipped.
#pragma once

#include <string>

namespace vtmirror::architecture {

struct Ran {
  int status = 0;      ///< of the exit; 128 and more for a signal
  std::string output;  ///< stdout and stderr together
};

/// Runs the command in a shell, with nothing on its stdin.
Ran run(const std::string& command);

/// The path of a file of the project, quoted for the shell.
std::string quoted_path(const std::string& path);

}  // namespace vtmirror::architecture
