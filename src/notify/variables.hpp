// A notice as environment variables, and the environment of child processes.
#pragma once

#include "vtmirror/core/notice.hpp"

#include <string>
#include <vector>

namespace vtmirror::notify {

/// This process's environment without the variables meant only for it: those for credentials, those for notifying
/// systemd, and every VTMIRROR_* except VTMIRROR_CONFIG.
std::vector<std::string> inherited_variables();

/// VTMIRROR_ID, _EVENT, _CODE, _LEVEL, _STAGE, _AT, _MESSAGE, and one for each field: VTMIRROR_FILE, _GENERATION, ...
std::vector<std::string> variables(const core::Notice& notice);

}  // namespace vtmirror::notify
