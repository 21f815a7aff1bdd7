// The files that are remembered: public, unfinished, refused, and those that the service listed last.
// Values alone. Never hold a link.
#pragma once

#include "vtmirror/base/time.hpp"
#include "vtmirror/core/cause.hpp"
#include "vtmirror/core/chain.hpp"
#include "vtmirror/core/listing.hpp"
#include "vtmirror/core/pieces.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace vtmirror::core {

/// A version of a file that is published: the catalogue's record of it.
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

/// An unfinished file: what of it is durable, and to which object its bytes belong.
struct PartialRecord {
  std::string name;
  Kind kind{};
  base::Date date{};
  std::int64_t size = 0;
  std::string etag{};  ///< empty until the store has said it
  RangeSet durable{};
  /// Set when every byte has been checked and only the rename and the publication are left; then `sha256` is its
  /// digest.
  bool verified = false;
  std::string sha256{};
};

/// A refused file that lies in the quarantine.
struct QuarantinedFile {
  std::string name;
  std::int64_t size = 0;
  Cause cause;  ///< why it was refused; without a subject
  base::Time at{};
};

/// The service's last answer, without its links.
struct StoredListing {
  base::Time at{};
  std::vector<Listed> files;
  /// Days without a delta, by the last listing that covered each of them; not those before the oldest public file.
  std::vector<base::Date> absent;
};

}  // namespace vtmirror::core
