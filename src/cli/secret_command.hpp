// `vtmirror secret rotate` and `secret set`: another client secret, beside a running daemon or without one.
// Promises that no secret is printed, and that the daemon is told when it answers.
#pragma once

#include "cli/arguments.hpp"
#include "vtmirror/settings/config.hpp"
#include "vtmirror/settings/environment.hpp"

namespace vtmirror::cli {

/// `config` is free of mistakes, its paths resolved.
ExitStatus rotate_secret(const Arguments& arguments, const settings::Config& config,
                         const settings::Environment& environment);
ExitStatus set_secret(const Arguments& arguments, const settings::Config& config,
                      const settings::Environment& environment);

}  // namespace vtmirror::cli
