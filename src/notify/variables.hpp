// A notice as environment variables, and what a child's environment is made of.
#pragma once

#include "vtmirror/core/notice.hpp"

#include <string>
#include <vector>

namespace vtmirror::notify {

/// This process's own variables without those that are meant for it alone: where the credentials are, how systemd is
/// told of its state, and whatever is called VTMIRROR_ but VTMIRROR_CONFIG.
std::vector<std::string> inherited_variables();

/// VTMIRROR_ID, _EVENT, _CODE, _LEVEL, _STAGE, _AT, _MESSAGE, and one for each field: VTMIRROR_FILE, _GENERATION, ...
std::vector<std::string> variables(const core::Notice& notice);

}  // namespace vtmirror::notify
