// `vtmirror config check` and `config show`, and the settings for every other command.
#pragma once

#include "cli/arguments.hpp"
#include "vtmirror/settings/environment.hpp"
#include "vtmirror/settings/load.hpp"

#include <optional>

namespace vtmirror::cli {

/// The settings that the arguments select, with paths resolved; or nothing, with every mistake printed on stderr.
std::optional<settings::ReadConfig> load_or_tell(const Arguments& arguments, const settings::Environment& environment);

/// Also checks the secret files, as far as this user can read them.
ExitStatus check_config(const Arguments& arguments, const settings::Environment& environment);
ExitStatus show_config(const Arguments& arguments, const settings::Environment& environment);

}  // namespace vtmirror::cli
