// `vtmirror changes`: asks the daemon, or the catalogue where there is no daemon.
#pragma once

#include "cli/arguments.hpp"
#include "vtmirror/settings/environment.hpp"

namespace vtmirror::cli {

ExitStatus changes(const Arguments& arguments, const settings::Environment& environment);

}  // namespace vtmirror::cli
