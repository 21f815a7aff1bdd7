// A ZIP file that libzip has opened: what it thinks of its records, and the contents of members that are packed in a
// way that only it can read. Promises to ask the tally for all that libzip reads of the file, however little comes out.
// Changes nothing.
#pragma once

#include "mirror/stream_inflater.hpp"
#include "mirror/tally.hpp"
#include "mirror/zip_layout.hpp"
#include "vtmirror/base/result.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

struct zip_error;

namespace vtmirror::mirror {

class LibzipArchive {
 public:
  /// The file and the tally, for which the reading is work only, must outlive it. Errors: integrity, if its records
  /// contradict each other; io; cancelled.
  static base::Result<LibzipArchive> open(const ZipFile& zip, Tally& tally);
  LibzipArchive(LibzipArchive&&) noexcept;
  ~LibzipArchive();

  std::uint64_t members() const;
  /// The whole member, checksum included; `take` returns false to stop. Errors: integrity, io, cancelled.
  base::Result<void> read(std::uint64_t index, const std::string& where,
                          const std::function<bool(std::span<const std::byte>)>& take) const;

 private:
  struct Library;
  explicit LibzipArchive(std::unique_ptr<Library> library);
  base::Error cause_of(zip_error* error, const std::string& where) const;
  std::unique_ptr<Library> library_;
};

}  // namespace vtmirror::mirror
