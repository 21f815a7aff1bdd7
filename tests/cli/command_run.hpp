// A command run in an empty environment, and what came of it.
#pragma once

#include "cli/arguments.hpp"
#include "cli/run.hpp"
#include "support/output.hpp"
#include "support/variables.hpp"

#include <string>

namespace vtmirror::cli {

struct Run {
  int status = 0;
  std::string out;
  std::string err;
};

inline Run run(ExitStatus (*command)(const Arguments&, const settings::Environment&), const Arguments& arguments) {
  const test::Output logged;
  const int ended = command(arguments, test::environment_of({}));
  return {ended, logged.out(), logged.err()};
}

}  // namespace vtmirror::cli
