// A program of the machine, for checks that only it can make: its exit status and what it printed.
// Whether it is installed is `test::absent`'s to say: no test passes in silence for want of its tool.
#pragma once

#include <string>

namespace vtmirror::architecture {

struct Ran {
  int status = 0;      ///< of the exit; 128 and more for a signal
  std::string output;  ///< stdout and stderr together
};

/// Through the shell, with nothing on its stdin.
Ran run(const std::string& command);

/// The path of a file of the project, quoted for the shell.
std::string quoted_path(const std::string& path);

}  // namespace vtmirror::architecture
