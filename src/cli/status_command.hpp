// `vtmirror status`: what the daemon says of itself, as a table, as JSON, as a monitoring plugin's line, or live.
// Needs no readable configuration.
#pragma once

#include "cli/arguments.hpp"
#include "cli/environment.hpp"

namespace vtmirror::cli {

ExitStatus status(const Arguments& arguments, const Environment& environment);

}  // namespace vtmirror::cli
