// The entries of one directory, and the files below one. Symlinks are reported as such, and never followed.
#pragma once

#include "mirror/tree.hpp"
#include "vtmirror/base/result.hpp"
#include "vtmirror/core/hindrance.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace vtmirror::mirror {

struct Child {
  enum class Type { file, directory, link, other } type = Type::other;
  std::string name;
  std::int64_t size = 0;
  std::int64_t allocated = 0;  ///< bytes that it occupies on disk
  std::string target;          ///< of a link, where links were to be read
  int names = 1;               ///< of its bytes, this one among them
};
enum class LinkTargets { skip, read };

/// Sorted by name. A directory that does not exist, or is not a directory, has no children.
base::Result<std::vector<Child>> children(const Tree& tree, std::string_view path,
                                          LinkTargets links = LinkTargets::skip);

/// The same, or the errno with which the directory could not be read, and the error for it.
struct Unread {
  int number = 0;
  base::Error error;
};
std::variant<std::vector<Child>, Unread> try_children(const Tree& tree, std::string_view path,
                                                      LinkTargets links = LinkTargets::skip);

/// Regular files below `top`, with paths relative to it, sorted. `is_wanted` is called for every file and, with a `/`
/// after its path, for every directory before it is entered. Holds one directory open at a time, however deep the tree
/// is. A directory below `top` that cannot be read is skipped, and `unread` gets its path and the reason. Errors: io,
/// for `top` itself, and if the process lacks descriptors or memory.
base::Result<std::vector<Child>> files_below(const Tree& tree, const std::string& top,
                                             const std::function<bool(std::string_view path)>& is_wanted,
                                             std::vector<core::Cause>& unread);

/// All of them, in a directory where only the program makes any. Errors: io, for every directory that cannot be read,
/// which is the subject.
base::Result<std::vector<Child>> files_below(const Tree& tree, const std::string& top);

}  // namespace vtmirror::mirror
