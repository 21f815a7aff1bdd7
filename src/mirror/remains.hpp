// What manifest.json, SHA256SUMS and `current` still show when the catalogue is lost.
// Accepts no name that could lead out of the mirror; never changes anything.
#pragma once

#include "mirror/tree.hpp"
#include "vtmirror/ports/shelf.hpp"

namespace vtmirror::mirror {

base::Result<ports::Remains> read_remains(const Tree& tree);

/// Pure. Skips lines and members that do not have the form that the program writes.
void read_manifest(std::string_view text, ports::Remains& remains);
void read_sums(std::string_view text, ports::Remains& remains);

}  // namespace vtmirror::mirror
