// The files on record: public, unfinished, quarantined, and those of the last listing.
// Only values. They never hold a link.
#pragma once

#include "vtmirror/base/time.hpp"
#include "vtmirror/core/chain.hpp"
#include "vtmirror/core/listing.hpp"
#include "vtmirror/core/pieces.hpp"
#include "vtmirror/core/problem.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace vtmirror::core {

/// A published version of a file, as the catalogue records it.
struct FileRecord {
  Kind kind{};
  std::string name;
  base::Date date{};
  std::int64_t size = 0;
  std::string sha256;
  std::string etag;
  base::Time published_at{};
  friend bool operator==(const FileRecord&, const FileRecord&) = default;
};

/// An unfinished file: which of its bytes are durable, and which object they belong to.
struct PartialRecord {
  std::string name;
  Kind kind{};
  base::Date date{};
  std::int64_t size = 0;
  std::string etag{};  ///< empty until the store has sent one
  RangeSet durable{};
  /// Set when every byte has been checked and only the rename and the publication remain; `sha256` is then the digest.
  bool verified = false;
  std::string sha256{};
};

/// A refused file in the quarantine.
struct QuarantinedFile {
  std::string name;
  std::int64_t size = 0;
  Cause cause;  ///< why it was refused; without a subject
  base::Time at{};
};

/// The last listing, without its links.
struct StoredListing {
  base::Time at{};
  std::vector<Listed> files;
  /// Days without a delta, according to the last listing that covered each of them; none before the oldest public file.
  std::vector<base::Date> absent;
};

}  // namespace vtmirror::core
