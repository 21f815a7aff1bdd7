// Starting a program without a shell, in a process group of its own.
// Promises that it gets no descriptor of ours but its three, no signal blocked or ignored, and the given environment
// alone. Blocks until the program is there or is not.
#pragma once

#include "vtmirror/base/descriptor.hpp"
#include "vtmirror/base/result.hpp"

#include <sys/types.h>

#include <string>
#include <vector>

namespace vtmirror::notify {

struct Program {
  std::vector<std::string> command;      ///< the first is looked for in PATH when it has no slash
  std::vector<std::string> environment;  ///< NAME=VALUE
  std::string input;                     ///< all that it can read on stdin
};

/// Not yet waited for: its id, which is its group's too, stays taken until then.
struct Spawned {
  pid_t pid = -1;
  base::Descriptor ended;   ///< readable when it has ended
  base::Descriptor output;  ///< its stdout and stderr, in one stream; does not block
};

/// Errors: io, with the program's name (never its arguments).
base::Result<Spawned> spawn(const Program& program);

/// The processes of this user that were started with that variable, whoever started them; of others none is seen.
std::vector<pid_t> processes_with(const std::string& variable);

}  // namespace vtmirror::notify
