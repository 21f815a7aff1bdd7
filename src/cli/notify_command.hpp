// `vtmirror notify test`: every channel that is set is tried now, and what happened is said, a line each.
// Needs no daemon and no lock: nothing of the mirror is opened.
#pragma once

#include "cli/arguments.hpp"
#include "vtmirror/settings/config.hpp"

namespace vtmirror::cli {

/// `done` when every channel was told, or none is set; `failed` when one was not.
ExitStatus test_channels(const Arguments& arguments, const settings::Config& config,
                         const settings::Environment& environment);

}  // namespace vtmirror::cli
