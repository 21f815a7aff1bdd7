// The end of each command's help: examples and exit statuses. Only text; the rest of the help comes from the grammar.
#pragma once

#include "cli/arguments.hpp"

#include <string>

namespace vtmirror::cli {

std::string help_end(Command command);

/// The end of the program's own help.
extern const char* const program_help_end;

}  // namespace vtmirror::cli
