// `vtmirror secret status`: which client secret is in use and why, its age and expiry, what was warned of, and the key.
// Never tells anything of the contents.
#pragma once

#include "cli/arguments.hpp"
#include "vtmirror/settings/config.hpp"
#include "vtmirror/settings/environment.hpp"

namespace vtmirror::cli {

/// `config` is free of mistakes, its paths resolved.
ExitStatus secret_status(const Arguments& arguments, const settings::Config& config,
                         const settings::Environment& environment);

}  // namespace vtmirror::cli
