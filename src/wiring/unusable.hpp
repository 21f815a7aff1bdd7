// Errors for paths and addresses that cannot be used: they name the setting and say what to do.
#pragma once

#include "vtmirror/base/result.hpp"

#include <string>

namespace vtmirror::wiring {

/// Turns an `io` error at the start into `config`: the path in the setting `key` cannot be used, and trying again does
/// not help. Any other error is returned unchanged.
base::Error unusable(const std::string& key, const std::string& place, const base::Error& error);

/// The same for the control socket at `socket`, and for the address of the metrics.
base::Error unusable_socket(const base::Error& error, const std::string& socket);

}  // namespace vtmirror::wiring
