// `vtmirror changes`: asks the daemon, or the catalogue where there is no daemon.
#pragma once

#include "cli/arguments.hpp"
#include "cli/environment.hpp"

namespace vtmirror::cli {

ExitStatus changes(const Arguments& arguments, const Environment& environment);

}  // namespace vtmirror::cli
