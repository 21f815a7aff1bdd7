// A program of the machine, for checks that only it can make: its exit status and what it printed.
// A test whose tool is not installed says so; it is never skipped in silence.
#pragma once

#include <string>

namespace vtmirror::architecture {

struct Ran {
  int status = 0;      ///< of the exit; 128 and more for a signal
  std::string output;  ///< stdout and stderr together
};

/// Through the shell, with nothing on its stdin.
Ran run(const std::string& command);

/// Whether the shell finds it; where not, the test's output names it with the package that has it.
bool installed(const std::string& program, const std::string& package);

/// The path of a file of the project, quoted for the shell.
std::string quoted_path(const std::string& path);

}  // namespace vtmirror::architecture
