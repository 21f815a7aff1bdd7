// `vtmirror sync`: one cycle now, or, with --dry-run, what it would do.
#pragma once

#include "cli/arguments.hpp"
#include "cli/config.hpp"
#include "cli/environment.hpp"

namespace vtmirror::cli {

/// `config` is free of mistakes, its paths resolved.
ExitStatus sync(const Arguments& arguments, const Config& config, const Environment& environment);

}  // namespace vtmirror::cli
