// A directory with which vtmirror can talk to this simulator at once: configuration, secrets, authority.
#pragma once

#include "simulator/simulator.hpp"

#include "vtmirror/base/result.hpp"

#include <string>

namespace vtmirror::simulator {

/// Makes the directory where it is not there. Errors: io.
base::Result<void> write_config(const Simulator& simulator, const std::string& directory, bool plain);

}  // namespace vtmirror::simulator
