// `vtmirror notify test`: sends a test notification to every configured channel and prints one line for each.
// Needs no daemon and no lock, because it does not open the mirror.
#pragma once

#include "cli/arguments.hpp"
#include "vtmirror/settings/config.hpp"

namespace vtmirror::cli {

/// `done` if every delivery succeeded, or no channel is configured; `failed` otherwise.
ExitStatus test_channels(const Arguments& arguments, const settings::Config& config,
                         const settings::Environment& environment);

}  // namespace vtmirror::cli
