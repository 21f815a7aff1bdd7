// What superseded generations named: hard links to their bytes in `.vtmirror/held`, and the directories of links that
// `current` left. Promises that a link in such a directory leads to the bytes that it was made for until
// `core::held_for` have passed. Never touches a public file.
#pragma once

#include "mirror/tree.hpp"
#include "vtmirror/base/time.hpp"
#include "vtmirror/ports/shelf.hpp"

#include <cstdint>
#include <string>

namespace vtmirror::mirror {

/// The target of a link to a public file, as directories of links have it.
inline std::string link_to_public(const std::string& name) { return "../../" + name; }

/// As `ports::Shelf::hold`. Without a digest the bytes are held under the number of their inode: only the links find
/// them. Where no file of that name and size is public, links that were made for it lead nowhere from then on, unless
/// its bytes are held already.
base::Result<bool> hold(const Tree& tree, const ports::VerifiedFile& promised);

/// Gives the bytes that are held under a digest those of `path`, which were verified to have it: what is held may have
/// been damaged since, and readers prefer it. Does nothing if none are held.
base::Result<void> hold_verified(const Tree& tree, const std::string& path, const std::string& sha256);

/// As `ports::Shelf::release`.
base::Result<void> release(const Tree& tree, base::Time now);

/// As `ports::Shelf::releasable`.
base::Result<std::int64_t> releasable(const Tree& tree, base::Time now);

}  // namespace vtmirror::mirror
