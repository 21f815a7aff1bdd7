// Starts a program without a shell, in a process group of its own.
// Promises that it gets no descriptors but its standard ones, no blocked or ignored signals, and only the given
// environment. Blocks until the program runs or could not be started.
#pragma once

#include "vtmirror/base/descriptor.hpp"
#include "vtmirror/base/result.hpp"

#include <sys/types.h>

#include <string>
#include <vector>

namespace vtmirror::notify {

struct Program {
  std::vector<std::string> command;      ///< the first word is searched in PATH if it has no slash
  std::vector<std::string> environment;  ///< NAME=VALUE
  std::string input;                     ///< the whole of its stdin
};

/// Not reaped yet; until then its ID, which is also its group's, cannot be reused.
struct Spawned {
  pid_t pid = -1;
  base::Descriptor ended;   ///< readable once it has ended
  base::Descriptor output;  ///< its stdout and stderr, in one stream; non-blocking
};

/// Errors: io, with the program's name (never its arguments).
base::Result<Spawned> spawn(const Program& program);

/// This user's processes that were started with that environment variable. Those of other users cannot be seen.
std::vector<pid_t> processes_with(const std::string& variable);

}  // namespace vtmirror::notify
