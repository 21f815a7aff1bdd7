// `current`: a symlink to a directory of links to the chain, in load order.
// Promises that it is switched in one step, that a directory of links is never changed once `current` names it, and
// that a reader in the directory that was just replaced can finish: that directory is removed at the next switch. All
// links are relative, so the mirror can be moved.
#pragma once

#include "mirror/tree.hpp"
#include "vtmirror/core/chain.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace vtmirror::mirror {

/// Does not touch `current` if it is already correct.
base::Result<void> switch_current(const Tree& tree, std::int64_t generation, const std::vector<core::Held>& chain);

/// What `current` is now, as a string that is equal for equal directories of links; empty if the program did not create
/// it.
std::optional<std::string> current_text(const Tree& tree);

}  // namespace vtmirror::mirror
