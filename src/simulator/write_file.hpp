// Small files, written whole.
#pragma once

#include "vtmirror/base/result.hpp"

#include <string>
#include <string_view>

namespace vtmirror::simulator {

/// Replaces the file; nobody but the owner may read it where it is `secret`. Errors: io.
base::Result<void> write_file(const std::string& path, std::string_view text, bool secret = false);
/// Errors: io.
base::Result<std::string> read_file(const std::string& path);

}  // namespace vtmirror::simulator
