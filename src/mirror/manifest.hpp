// The texts of manifest.json (vtmirror-api(7)) and SHA256SUMS. Pure: no file is touched here.
#pragma once

#include "vtmirror/ports/shelf.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace vtmirror::mirror {

/// A line for each member of the chain; `sha256` is left out where there is none.
std::string manifest_text(const ports::Manifest& manifest);
/// The generation that a manifest's text names; empty when it is none of ours.
std::optional<std::int64_t> manifest_generation_of(std::string_view text);

/// As `sha256sum` writes and reads it, sorted by name. Empty when no file has a digest.
std::string sums_text(const std::vector<core::Held>& held);

}  // namespace vtmirror::mirror
