// The program behind main: reads the arguments, does the command, gives the exit status.
#pragma once

#include <span>

namespace vtmirror::cli {

int run(std::span<const char* const> arguments);

}  // namespace vtmirror::cli
