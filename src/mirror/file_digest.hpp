// The SHA-256 of a file that something else reads: it follows that reading, so that it meets bytes that are still in
// the page cache. Promises the memory of one buffer. Changes nothing.
#pragma once

#include "mirror/sha256.hpp"
#include "mirror/zip_layout.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace vtmirror::mirror {

class FileDigest {
 public:
  /// The file must outlive it.
  explicit FileDigest(const ZipFile& file) : file_(file) {}

  /// Reads on to that byte of the file, if it is not there yet. Errors: io.
  base::Result<void> advance(std::uint64_t to);
  /// Reads the rest, and returns the digest in lower-case hex. To be called once. Errors: io.
  base::Result<std::string> finish();

 private:
  const ZipFile& file_;
  Sha256 digest_;
  std::uint64_t position_ = 0;
  std::vector<std::byte> buffer_;
};

}  // namespace vtmirror::mirror
