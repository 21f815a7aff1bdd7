// Tests settings and secrets against the service, and prints a line on stdout for each thing that works: host and
// certificate, token, API key and listing, directories that can be written, space on disk. Downloads no file and
// changes nothing.
#pragma once

#include "cli/arguments.hpp"
#include "vtmirror/settings/config.hpp"
#include "vtmirror/wiring/agent_settings.hpp"

namespace vtmirror::cli {

/// Stops at the first thing that is wrong, with the request, the reason and what to do on stderr. `config` has no
/// mistakes, and its paths are resolved. A lack of space, or a directory that cannot be written, is `failed` too.
ExitStatus prove(const Arguments& arguments, const settings::Config& config, const wiring::Secrets& secrets,
                 const settings::Environment& environment);

}  // namespace vtmirror::cli
