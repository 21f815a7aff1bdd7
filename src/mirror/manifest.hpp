// The contents of manifest.json (vtmirror-api(7)) and SHA256SUMS. Pure: no file is touched here. Also how they are
// read when the catalogue is lost.
#pragma once

#include "mirror/tree.hpp"
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

// What manifest.json, SHA256SUMS and `current` still show when the catalogue is lost.
// Accepts no name that could lead out of the mirror; never changes anything.

base::Result<ports::Remains> read_remains(const Tree& tree);

/// Pure. Skips lines and members that do not have the form that the program writes.
void read_manifest(std::string_view text, ports::Remains& remains);
void read_sums(std::string_view text, ports::Remains& remains);

}  // namespace vtmirror::mirror
