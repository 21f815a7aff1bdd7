// The mirror's directory, held open: every path is resolved from it, part by part.
// Promises that no symlink below it is ever followed and that no path leaves it, even while others rename files in
// it. What the system refuses is an error here.
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

/// "a/b" of "a/b/c", and "" of "c"; `base::leaf_of` is the rest.
std::string_view parent_of(std::string_view path);

/// A descriptor, or the errno of the failure.
struct Opened {
  base::Descriptor descriptor{};
  int error = 0;
};

class Tree {
 public:
  explicit Tree(base::Descriptor root) : root_(std::move(root)) {}

  /// Opens the directory, and creates it (0755, with its parents, durable) if it is missing. Symlinks above it are
  /// followed: they are the owner's choice.
  static base::Result<Tree> open_root(std::string directory);

  /// The same without creating it. A missing directory is an empty tree, in which nothing can be created.
  static base::Result<Tree> look(const std::string& directory);

  /// Invalid if the directory is missing.
  const base::Descriptor& root() const { return root_; }

  /// An existing directory; "" is the root.
  Opened try_directory(std::string_view path) const;
  base::Result<base::Descriptor> directory(std::string_view path) const;

  /// A directory, created with its missing parents (0755 regardless of the umask). Durable when it returns, even if an
  /// earlier process died between creating a directory and syncing it: every directory on the path is synced, not only
  /// the new ones.
  base::Result<base::Descriptor> make_directory(std::string_view path) const;

  /// A regular file in an existing directory. Anything else of that name is refused (and a FIFO does not block).
  Opened try_open(std::string_view path, int flags, mode_t mode = 0) const;
  base::Result<base::Descriptor> open(std::string_view path, int flags, mode_t mode = 0) const;

  /// Replaces an existing file, in one step. Both directories must exist; both are synced.
  base::Result<void> rename(std::string_view from, std::string_view to) const;

  /// Gives a file a second name, durably; the directory of that name must exist. A file that already has the second
  /// name stays. False if the file system has no hard links, or none to this file.
  base::Result<bool> make_name(std::string_view file, std::string_view second) const;

  /// Removes a file or a symlink, durably; false if there was none.
  base::Result<bool> remove(std::string_view path) const;
  /// Removes the empty directories above `path`, upwards, but never `top`.
  base::Result<void> remove_empty_parents(std::string_view path, std::string_view top) const;

  /// Symlinks are created and read, and never followed. Not synced: the rename that follows does that.
  base::Result<void> make_link(const std::string& target, std::string_view path) const;
  base::Result<std::optional<std::string>> link_target(std::string_view path) const;

 private:
  Opened again() const;
  base::Descriptor root_;
};

/// Whether both lead to one file, whatever its names are.
bool same_file(const base::Descriptor& a, const base::Descriptor& b);

/// What such an error means, without the kernel's words if those would mislead.
std::string words_of(int error);

/// The only translation of errno into an Error. Names the object and the operation that failed.
/// A full disk or quota is `no_space`; everything else is `io`: "v1/a.zip: cannot write at 4096: Input/output error".
base::Error failure(int error, std::string_view object, std::string_view cannot);

}  // namespace vtmirror::mirror
