// `vtmirror sync`: one cycle now, or, with --dry-run, what it would do.
#pragma once

#include "cli/arguments.hpp"
#include "vtmirror/settings/config.hpp"
#include "vtmirror/settings/environment.hpp"

namespace vtmirror::cli {

/// `config` has no mistakes, and its paths are resolved.
ExitStatus sync(const Arguments& arguments, const settings::Config& config, const settings::Environment& environment);

}  // namespace vtmirror::cli
