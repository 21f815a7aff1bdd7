// `vtmirror config check` and `config show`, and the configuration for every other command.
#pragma once

#include "cli/arguments.hpp"
#include "vtmirror/settings/environment.hpp"
#include "vtmirror/settings/load.hpp"

#include <optional>

namespace vtmirror::cli {

/// The configuration that the arguments name, its paths resolved; or nothing, and all that is wrong with it on stderr.
std::optional<settings::ReadConfig> load_or_tell(const Arguments& arguments, const settings::Environment& environment);

/// Also what is wrong with the secret files as far as this user can see them.
ExitStatus check_config(const Arguments& arguments, const settings::Environment& environment);
ExitStatus show_config(const Arguments& arguments, const settings::Environment& environment);

}  // namespace vtmirror::cli
