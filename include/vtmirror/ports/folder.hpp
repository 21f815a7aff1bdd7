// A folder of somebody else's files, which may be adopted into the mirror.
// Promises never to change or remove anything in the folder, and to follow no symlink out of it. Every call blocks and
// may be made from any thread of the pool, one at a time.
#pragma once

#include "vtmirror/base/result.hpp"
#include "vtmirror/core/adoption.hpp"
#include "vtmirror/ports/partials.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace vtmirror::ports {

class Folder {
 public:
  virtual ~Folder() = default;

  /// All files of the folder, however deep, sorted by path; one that has a name of the service and cannot be read has
  /// its `obstacle`. No other file is opened. The Watch is asked for each directory, with 0. Errors: io, if the folder
  /// itself cannot be read; cancelled.
  virtual base::Result<std::vector<core::FolderFile>> files(const Watch& watch) = 0;

  /// Reads the whole file. Errors: integrity (what and where), io, cancelled.
  virtual base::Result<Checked> check(const std::string& path, std::int64_t size, CheckRules rules,
                                      const Watch& watch) = 0;

  /// Makes the file's bytes the partial of `name`, which must not exist, without copying them: by a hard link if
  /// `may_link` is set and nobody but the mirror's user may change the file, else by blocks that both share. Empty if
  /// neither is possible. Errors: io, no_space.
  virtual base::Result<std::optional<core::AdoptedBy>> share(const std::string& path, const std::string& name,
                                                             bool may_link) = 0;

  /// Writes the file's first `size` bytes to `to`, and syncs them. Errors: io, no_space, cancelled.
  virtual base::Result<void> copy(const std::string& path, std::int64_t size, PartialFile& to, const Watch& watch) = 0;
};

}  // namespace vtmirror::ports
