// The mirror's files: the last listing, the public files, the quarantine, and every change.
// Promises that a publication removes the partial and the quarantine record of that name, and queues its notice, in the
// same transaction. Never holds a link. Also the unfinished files.
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

/// What a mirror's directory contains, verified: used to fill an empty catalogue.
struct Restored {
  std::int64_t generation = 0;
  base::Time at{};                      ///< of that generation
  std::vector<core::FileRecord> files;  ///< all public files
  std::vector<base::Date> absent;       ///< days without a delta upstream
};

class Files : Role {
 public:
  explicit Files(Connection& connection) : Role(connection) {}

  base::Result<void> keep_listing(const std::vector<core::Listed>& files, base::Time at);
  base::Result<std::optional<core::StoredListing>> last_listing() const;

  base::Result<std::vector<core::FileRecord>> files() const;  ///< published now, by kind and date
  /// Whether it was public, and its last change was a removal.
  base::Result<bool> is_let_go(const std::string& name) const;
  base::Result<std::vector<core::QuarantinedFile>> quarantined() const;

  /// Makes `file` public: its partial and a quarantine record of that name are removed, an older version is kept as
  /// superseded, the generation grows by one, and a `published` notice is queued. Returns the new generation.
  base::Result<std::int64_t> publish(const core::FileRecord& file);
  /// `name` is no longer public (pruned, or gone). Returns the new generation; if it was not public, nothing changes,
  /// and neither does the generation.
  base::Result<std::int64_t> remove(const std::string& name, base::Time at);
  base::Result<void> keep_quarantined(const core::QuarantinedFile& file);  ///< its partial record goes in the same step

  base::Result<std::int64_t> generation() const;
  /// Records these files as public since that generation, without notices. Errors: catalogue, if any file was ever
  /// public in this catalogue.
  base::Result<void> restore(const Restored& restored);
  /// Oldest first. A file that replaced another makes two changes in one generation: `superseded`, then `published`.
  base::Result<std::vector<core::Change>> changes_since(std::int64_t generation) const;
};

/// The unfinished files and their watermarks: which bytes are certain to be on disk.
/// Promises never to return more bytes as durable than were recorded. Never reads the disk itself.
class Partials : Role {
 public:
  explicit Partials(Connection& connection) : Role(connection) {}

  base::Result<std::vector<core::PartialRecord>> partials() const;

  /// Begins a partial, or begins it again, with the given durable ranges.
  base::Result<void> keep_partial(const core::PartialRecord& partial);
  /// The watermark: these bytes of `name` are synced to disk, and no others. Errors: catalogue, for a name without a
  /// partial and for bytes beyond its size.
  base::Result<void> keep_durable(const std::string& name, const core::RangeSet& durable);
  base::Result<void> forget_partial(const std::string& name);  ///< ok if there is none
};

}  // namespace vtmirror::catalogue
