// The opened directory that scratch and shelf share, and the mutex for changes of names in it.
#pragma once

#include "mirror/flat_name.hpp"
#include "mirror/own_names.hpp"
#include "mirror/tree.hpp"

#include <mutex>
#include <string>
#include <string_view>
#include <utility>

namespace vtmirror::mirror {

struct Place {
  Place(Tree opened, std::string path) : tree(std::move(opened)), directory(std::move(path)) {}

  Tree tree;
  std::string directory;  ///< as in the settings
  /// Held wherever names change: one thread must not remove a directory that has become empty while another is about to
  /// rename a file into it, and small text files share one temporary name.
  std::mutex names;
};

/// The path of the partial of a listed name.
inline std::string partial_path(const std::string& name) { return own::below(own::partial, flat_name(name)); }

/// Removes a file, if it exists, and the directories that become empty, but never `top`.
inline base::Result<void> remove_with_parents(Place& place, const std::string& path, std::string_view top) {
  const std::scoped_lock names(place.names);
  if (auto removed = place.tree.remove(path); !removed) return removed.error();
  return place.tree.remove_empty_parents(path, top);
}

}  // namespace vtmirror::mirror
