// `vtmirror changes`: asks the daemon, or reads the catalogue if no daemon answers.
#pragma once

#include "cli/arguments.hpp"
#include "vtmirror/settings/environment.hpp"

namespace vtmirror::cli {

ExitStatus changes(const Arguments& arguments, const settings::Environment& environment);

}  // namespace vtmirror::cli
