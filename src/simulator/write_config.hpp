// Writes a directory with all that vtmirror needs to use this simulator: settings, secrets, certificate authority.
#pragma once

#include "simulator/simulator.hpp"
#include "vtmirror/base/result.hpp"

#include <string>
#include <string_view>

namespace vtmirror::simulator {

/// Creates the directory if it does not exist. Errors: io.
base::Result<void> write_config(const Simulator& simulator, const std::string& directory, bool plain);

// Reads and writes small files as a whole.

/// Replaces the file; if it is `secret`, only the owner may read it. Errors: io.
base::Result<void> write_file(const std::string& path, std::string_view text, bool secret = false);
/// Errors: io.
base::Result<std::string> read_file(const std::string& path);

}  // namespace vtmirror::simulator
