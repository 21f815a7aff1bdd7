// `vtmirror secret rotate` and `secret set`: another client secret, beside a running daemon or without one.
// Promises that no secret is printed, and that the daemon is told when it answers.
#pragma once

#include "cli/arguments.hpp"
#include "cli/config.hpp"
#include "cli/environment.hpp"

namespace vtmirror::cli {

/// `config` is free of mistakes, its paths resolved.
ExitStatus rotate_secret(const Arguments& arguments, const Config& config, const Environment& environment);
ExitStatus set_secret(const Arguments& arguments, const Config& config, const Environment& environment);

}  // namespace vtmirror::cli
