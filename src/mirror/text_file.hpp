// Small text files of ours: read whole, replaced whole.
// Promises that a reader, and a power cut, meets the old text or the new one, and nothing in between.
#pragma once

#include "mirror/tree.hpp"
#include "vtmirror/base/result.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace vtmirror::mirror {

/// Empty where there is no such file. Errors: io, also when it is larger than any text of ours.
base::Result<std::optional<std::string>> read_text(const Tree& tree, std::string_view path);

/// One call at a time: the new text is written to one temporary name.
base::Result<void> replace_text(const Tree& tree, std::string_view path, std::string_view text, mode_t mode = 0644);

}  // namespace vtmirror::mirror
