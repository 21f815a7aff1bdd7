// A command run in an empty environment, and what came of it.
#pragma once

#include "cli/arguments.hpp"
#include "cli/run.hpp"
#include "support/told.hpp"
#include "support/variables.hpp"

#include <string>

namespace vtmirror::cli {

struct Run {
  int status = 0;
  std::string out;
  std::string err;
};

inline Run run(ExitStatus (*command)(const Arguments&, const settings::Environment&), const Arguments& arguments) {
  const test::Told told;
  const int ended = command(arguments, test::environment_of({}));
  return {ended, told.out(), told.err()};
}

}  // namespace vtmirror::cli
