// The contents of manifest.json (vtmirror-api(7)) and SHA256SUMS. Pure: no file is touched here.
#pragma once

#include "vtmirror/ports/shelf.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace vtmirror::mirror {

/// One line for each member of the chain; `sha256` is omitted if there is none.
std::string manifest_text(const ports::Manifest& manifest);
/// The generation that a manifest names; empty if the program did not write it.
std::optional<std::int64_t> manifest_generation_of(std::string_view text);

/// In the format of `sha256sum`, sorted by name. Empty if no file has a digest.
std::string sums_text(const std::vector<core::Held>& held);

}  // namespace vtmirror::mirror
