// What manifest.json, SHA256SUMS and `current` still tell when the catalogue is lost.
// Promises to believe no name that could lead out of the mirror; never changes anything.
#pragma once

#include "mirror/tree.hpp"
#include "vtmirror/ports/shelf.hpp"

namespace vtmirror::mirror {

base::Result<ports::Remains> read_remains(const Tree& tree);

/// Pure. Lines and members that are not as we write them are left out.
void read_manifest(std::string_view text, ports::Remains& remains);
void read_sums(std::string_view text, ports::Remains& remains);

}  // namespace vtmirror::mirror
