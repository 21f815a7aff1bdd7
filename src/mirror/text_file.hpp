// The program's small text files: read whole, replaced whole.
// Promises that a reader, even after a power cut, sees the old contents or the new ones, and nothing in between.
#pragma once

#include "mirror/tree.hpp"
#include "vtmirror/base/result.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace vtmirror::mirror {

/// Empty if there is no such file. Errors: io, also if it is larger than any file that the program writes.
base::Result<std::optional<std::string>> read_text(const Tree& tree, std::string_view path);

/// Whether something that the program did not make is in the place of this text: a symlink, anything but a file, or a
/// file that it may not read. It is not followed.
bool is_not_ours(const Tree& tree, std::string_view path);

/// One call at a time, because the new contents are written under a single temporary name.
base::Result<void> replace_text(const Tree& tree, std::string_view path, std::string_view text, mode_t mode = 0644);

}  // namespace vtmirror::mirror
