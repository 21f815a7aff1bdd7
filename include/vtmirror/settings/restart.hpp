// What a reload may not change: the settings that only a start reads.
// Promises to go by the rows of the settings' table (src/settings/keys.cpp), so that no key is left out.
#pragma once

#include "vtmirror/settings/config.hpp"

#include <string>
#include <vector>

namespace vtmirror::settings {

/// The keys that only a start reads and that differ ("mirror.directory"), in the order of the shipped file.
std::vector<std::string> keys_needing_restart(Config running, Config read);

}  // namespace vtmirror::settings
