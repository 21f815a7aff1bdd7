// The unfinished files and their watermarks: which bytes are certain to be on disk.
// Promises never to return more bytes as durable than were recorded. Never reads the disk itself.
#pragma once

#include "vtmirror/base/result.hpp"
#include "vtmirror/catalogue/role.hpp"
#include "vtmirror/core/files.hpp"

#include <string>
#include <vector>

namespace vtmirror::catalogue {

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
