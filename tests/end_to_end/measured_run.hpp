// A run of the program whose memory is watched.
#pragma once

#include "end_to_end/child.hpp"

#include <string>
#include <vector>

namespace vtmirror::test {

struct Measured {
  Ended ended;
  long peak = 0;  ///< KiB
};

/// Runs a command of the program to its end.
Measured measured_run(const std::vector<std::string>& command_line);

}  // namespace vtmirror::test
