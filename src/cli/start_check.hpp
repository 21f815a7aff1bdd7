// Of `config check`: what would keep the daemon from starting, found without a network by what `run` asks.
// Promises that nothing is changed, and that what is made before the first start is not missed. Never counts it as a
// mistake that this user may not do what the daemon's user perhaps may.
#pragma once

#include "cli/service_view.hpp"
#include "cli/warnings.hpp"
#include "vtmirror/settings/load.hpp"

#include <string>

namespace vtmirror::cli {

/// `settings_file` is where `read` comes from, whose paths are resolved. Adds to its mistakes.
void check_start(Warnings& warnings, settings::ReadConfig& read, const std::string& settings_file,
                 const settings::Environment& environment, const ServiceView& view);

}  // namespace vtmirror::cli
