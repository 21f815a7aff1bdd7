// A ZIP file that libzip has opened: what it thinks of its records, and the contents of members that are packed in a
// way that only it can read. Changes nothing.
#pragma once

#include "mirror/stream_inflater.hpp"
#include "vtmirror/base/descriptor.hpp"
#include "vtmirror/base/result.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace vtmirror::mirror {

class LibzipArchive {
 public:
  /// Takes ownership of the descriptor. Errors: integrity, if its records contradict each other; io.
  static base::Result<LibzipArchive> open(base::Descriptor file, const std::string& name);
  LibzipArchive(LibzipArchive&&) noexcept;
  ~LibzipArchive();

  std::uint64_t members() const;
  /// The whole member, checksum included; `take` returns false to stop. Errors: integrity, io, cancelled.
  base::Result<void> read(std::uint64_t index, const std::string& where,
                          const std::function<bool(std::span<const std::byte>)>& take) const;

 private:
  struct Library;
  explicit LibzipArchive(std::unique_ptr<Library> library);
  base::Error unless_unread(base::Error error) const;
  std::unique_ptr<Library> library_;
};

}  // namespace vtmirror::mirror
