// The mirror's directory, held open: every path is walked from it part by part.
// Promises that no symlink below it is ever followed and that no path leaves it, also while others rename in it.
#pragma once

#include "vtmirror/base/descriptor.hpp"
#include "vtmirror/base/result.hpp"

#include <fcntl.h>
#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace vtmirror::mirror {

/// "a/b/c" is "a/b" and "c"; "c" is "" and "c".
std::string_view parent_of(std::string_view path);
std::string_view leaf_of(std::string_view path);

/// A descriptor, or the errno that stood in the way.
struct Opened {
  base::Descriptor descriptor{};
  int error = 0;
};

/// 0 or errno. File systems that cannot sync a directory have nothing to sync there: that is no error.
int sync_directory(const base::Descriptor& directory);

class Tree {
 public:
  explicit Tree(base::Descriptor root) : root_(std::move(root)) {}

  /// Opens the directory, made (0755, with its parents, durable) where it is missing. Above it symlinks are the owner's
  /// business.
  static base::Result<Tree> open_root(std::string directory);

  const base::Descriptor& root() const { return root_; }

  /// An existing directory; "" is the root.
  Opened try_directory(std::string_view path) const;
  base::Result<base::Descriptor> directory(std::string_view path) const;

  /// A directory, made with what is missing above it (0755 whatever the umask says). Durable when it returns, even
  /// where an earlier process died between making a directory and syncing it: therefore every directory on the way is
  /// synced, and not only the new ones.
  base::Result<base::Descriptor> make_directory(std::string_view path) const;

  /// A regular file in an existing directory; anything else of that name is refused (and a FIFO does not block).
  Opened try_open(std::string_view path, int flags, mode_t mode = 0) const;
  base::Result<base::Descriptor> open(std::string_view path, int flags, mode_t mode = 0) const;

  /// In one step, over what is there. Both directories must exist; both are synced.
  base::Result<void> rename(std::string_view from, std::string_view to) const;

  /// Removes a file or a symlink, durably; false when there was none.
  base::Result<bool> remove(std::string_view path) const;
  /// Removes the directories above `path` that are empty, upwards, but never `top`.
  base::Result<void> remove_empty_parents(std::string_view path, std::string_view top) const;

  /// Symlinks are made and read here, and never followed. Not synced: the rename that follows does it.
  base::Result<void> make_link(const std::string& target, std::string_view path) const;
  base::Result<std::optional<std::string>> link_target(std::string_view path) const;

 private:
  Opened again() const;
  base::Descriptor root_;
};

}  // namespace vtmirror::mirror
