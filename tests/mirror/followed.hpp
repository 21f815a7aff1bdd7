// The checks of a ZIP that the cases compare: of the whole file, by the follower alone, and as it arrives.
#pragma once

#include "mirror/arrival_check.hpp"
#include "mirror/zip_check.hpp"
#include "mirror/zip_follower.hpp"
#include "support/temporary_directory.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <stdexcept>
#include <string>

namespace vtmirror::test {

inline constexpr const char* no_follower = "the program is built without ISA-L and follows no ZIP";

inline base::Descriptor file_of(std::string_view bytes) {
  base::Descriptor file(::memfd_create("a.zip", MFD_CLOEXEC));
  for (std::size_t done = 0; done < bytes.size();) {
    const auto written = ::write(file.get(), bytes.data() + done, bytes.size() - done);
    if (written <= 0) throw std::runtime_error("no file in memory");
    done += static_cast<std::size_t>(written);
  }
  return file;
}

inline base::Result<void> check_whole(const std::string& bytes) {
  mirror::Tally tally({});
  return mirror::check_zip(file_of(bytes), "a.zip", tally);
}

/// Whether the follower calls it good, if it gets `chunk` bytes at a time.
inline bool proven(const std::string& bytes, std::size_t chunk = 1U << 20U) {
  mirror::ZipFollower follower;
  for (auto rest = std::as_bytes(std::span(bytes)); !rest.empty();) {
    const auto part = rest.first(std::min(chunk, rest.size()));
    follower.add(part);
    rest = rest.subspan(part.size());
  }
  mirror::Tally tally({});
  return follower.finish(file_of(bytes), "a.zip", static_cast<std::int64_t>(bytes.size()), tally).value();
}

inline base::Result<ports::Checked> check_arrival(const std::string& bytes, ports::CheckRules rules) {
  return mirror::ArrivalCheck(file_of(bytes), "a.zip", static_cast<std::int64_t>(bytes.size()), rules).finish({});
}

/// Whether the check of the whole file and the one while it arrives say the same, to the letter.
inline bool same_verdict(const std::string& bytes) {
  const auto old = check_whole(bytes);
  const auto now = check_arrival(bytes, {.zip = true, .digest = false});
  if (old.has_value() || now.has_value()) return old.has_value() == now.has_value();
  return old.error() == now.error();
}

}  // namespace vtmirror::test
