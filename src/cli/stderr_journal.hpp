// Events as lines for people on stderr, coloured as its reader wants.
#pragma once

#include "cli/arguments.hpp"
#include "cli/environment.hpp"
#include "vtmirror/ports/journal.hpp"

#include <memory>

namespace vtmirror::cli {

/// Events below `least` are dropped.
std::unique_ptr<ports::Journal> stderr_journal(ports::Level least, const Arguments& arguments,
                                               const Environment& environment);

}  // namespace vtmirror::cli
