// `vtmirror secret rotate` and `secret set`: change the client secret, with a running daemon or without one.
// Promises that no secret is printed, and that a running daemon is asked to reload.
#pragma once

#include "cli/arguments.hpp"
#include "vtmirror/settings/config.hpp"
#include "vtmirror/settings/environment.hpp"

namespace vtmirror::cli {

/// `config` has no mistakes, and its paths are resolved.
ExitStatus rotate_secret(const Arguments& arguments, const settings::Config& config,
                         const settings::Environment& environment);
ExitStatus set_secret(const Arguments& arguments, const settings::Config& config,
                      const settings::Environment& environment);

}  // namespace vtmirror::cli
