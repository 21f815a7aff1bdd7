// The program behind main: parses the arguments, runs the command, returns the exit status.
#pragma once

#include <span>

namespace vtmirror::cli {

int run(std::span<const char* const> arguments);

}  // namespace vtmirror::cli
