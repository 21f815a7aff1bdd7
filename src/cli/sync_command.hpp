// `vtmirror sync`: one cycle now, or, with --dry-run, what it would do.
#pragma once

#include "cli/arguments.hpp"
#include "vtmirror/settings/config.hpp"
#include "vtmirror/settings/environment.hpp"

namespace vtmirror::cli {

/// `config` is free of mistakes, its paths resolved.
ExitStatus sync(const Arguments& arguments, const settings::Config& config, const settings::Environment& environment);

}  // namespace vtmirror::cli
