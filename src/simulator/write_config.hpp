// Writes a directory with all that vtmirror needs to use this simulator: settings, secrets, certificate authority.
#pragma once

#include "simulator/simulator.hpp"

#include "vtmirror/base/result.hpp"

#include <string>

namespace vtmirror::simulator {

/// Creates the directory if it does not exist. Errors: io.
base::Result<void> write_config(const Simulator& simulator, const std::string& directory, bool plain);

}  // namespace vtmirror::simulator
