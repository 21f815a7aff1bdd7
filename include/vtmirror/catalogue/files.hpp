// The files of the mirror: what the service listed last, what is public, what lies in the quarantine, and every change.
// Promises that a publication ends the partial and the quarantine of that name, and queues its notice, in the same
// step. Never holds a link.
#pragma once

#include "vtmirror/base/result.hpp"
#include "vtmirror/catalogue/role.hpp"
#include "vtmirror/core/files.hpp"
#include "vtmirror/core/history.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace vtmirror::catalogue {

/// What a mirror's directory says of itself, checked: for a catalogue that knows nothing.
struct Restored {
  std::int64_t generation = 0;
  base::Time at{};                      ///< of that generation
  std::vector<core::FileRecord> files;  ///< all that are public
  std::vector<base::Date> absent;       ///< days without a delta upstream
};

class Files : Role {
 public:
  explicit Files(Connection& connection) : Role(connection) {}

  base::Result<void> keep_listing(const std::vector<core::Listed>& files, base::Time at);
  base::Result<std::optional<core::StoredListing>> last_listing() const;

  base::Result<std::vector<core::FileRecord>> files() const;  ///< published now, by kind and date
  /// It was public, and was removed last.
  base::Result<bool> is_let_go(const std::string& name) const;
  base::Result<std::vector<core::QuarantinedFile>> quarantined() const;

  /// `file` is public from now on: its partial and a quarantine record of that name go, an older version is kept as
  /// superseded, the generation grows by one, and a `published` notice is queued. Returns the new generation.
  base::Result<std::int64_t> publish(const core::FileRecord& file);
  /// `name` is not public any more (pruned, or gone). Returns the new generation; where it was not public, nothing
  /// changes, the generation neither.
  base::Result<std::int64_t> remove(const std::string& name, base::Time at);
  base::Result<void> keep_quarantined(const core::QuarantinedFile& file);  ///< its partial record goes in the same step

  base::Result<std::int64_t> generation() const;
  /// These files are public since that generation; tells nobody of them. Errors: catalogue, where any file was ever
  /// public here.
  base::Result<void> restore(const Restored& restored);
  /// Oldest first. A file that replaced another makes two changes of one generation: `superseded`, then `published`.
  base::Result<std::vector<core::Change>> changes_since(std::int64_t generation) const;
};

}  // namespace vtmirror::catalogue
