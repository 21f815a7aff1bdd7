// Places of the settings that cannot be used, as errors that name their key and what to do.
#pragma once

#include "vtmirror/base/result.hpp"

#include <string>

namespace vtmirror::wiring {

/// The disk's error (io) at the start as one of the settings (config): it is no failure of the work but of the place
/// that `key` names, and nothing is better when it is tried again. Any other error stays as it is.
base::Error unusable(const std::string& key, const std::string& place, const base::Error& error);

/// The same for the control socket at `socket`, and for the address of the metrics beside it.
base::Error unusable_socket(const base::Error& error, const std::string& socket);

}  // namespace vtmirror::wiring
