// What the mirror shows its readers: manifest.json, SHA256SUMS and `current`, of one generation.
// Promises that each is replaced in one step, in that order, and not at all if it is already correct; and that an
// interrupted publication is recognised afterwards.
#pragma once

#include "mirror/tree.hpp"
#include "vtmirror/ports/shelf.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace vtmirror::mirror {

/// Something foreign in the place of one of them stays there, and the others are written; returns a cause for each such
/// place. Errors: io, no_space.
base::Result<std::vector<core::Cause>> write_publication(const Tree& tree, const ports::Manifest& manifest,
                                                         const std::vector<core::Held>& held);

/// Empty if one of the three is missing, was changed by others, or belongs to another publication than the rest.
/// Errors: io.
base::Result<std::optional<std::int64_t>> published_generation(const Tree& tree);

}  // namespace vtmirror::mirror
