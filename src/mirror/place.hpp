// The opened directory that scratch and shelf share, and the mutex for changes of names in it. Also the names of
// files there.
#pragma once

#include "mirror/own_names.hpp"
#include "mirror/reading.hpp"
#include "mirror/tree.hpp"

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace vtmirror::mirror {

// A listed name as a path in one flat directory, and back: "v1/a.zip" is "v1%2Fa.zip".
// Promises that different names stay different and that the name can be restored. A name too long for one directory
// entry is split over several, in directories that end in `%`. Leaves room at the end for ".reason.txt", in which no
// flat name ends.

std::string flat_name(std::string_view name);
/// Empty if `flat` is not a result of `flat_name`.
std::optional<std::string> listed_name(std::string_view flat);

inline constexpr std::string_view reason_suffix = ".reason.txt";

struct Place {
  Place(Tree opened, std::string path) : tree(std::move(opened)), directory(std::move(path)) {}

  Tree tree;
  std::string directory;  ///< as in the settings
  /// Held wherever names change: one thread must not remove a directory that has become empty while another is about to
  /// rename a file into it, and small text files share one temporary name.
  std::mutex names;
  /// Of the partials that are open, by listed name; guarded by `names`.
  std::map<std::string, std::weak_ptr<Reading>> readings;
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
