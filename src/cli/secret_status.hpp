// `vtmirror secret status`: which client secret is in use and why, its age and expiry, the warnings sent, and the API
// key's last use. Never prints any part of a secret.
#pragma once

#include "cli/arguments.hpp"
#include "vtmirror/settings/config.hpp"
#include "vtmirror/settings/environment.hpp"

namespace vtmirror::cli {

/// `config` has no mistakes, and its paths are resolved.
ExitStatus secret_status(const Arguments& arguments, const settings::Config& config,
                         const settings::Environment& environment);

}  // namespace vtmirror::cli
