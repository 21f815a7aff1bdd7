// Reads and writes small files as a whole.
#pragma once

#include "vtmirror/base/result.hpp"

#include <string>
#include <string_view>

namespace vtmirror::simulator {

/// Replaces the file; if it is `secret`, only the owner may read it. Errors: io.
base::Result<void> write_file(const std::string& path, std::string_view text, bool secret = false);
/// Errors: io.
base::Result<std::string> read_file(const std::string& path);

}  // namespace vtmirror::simulator
