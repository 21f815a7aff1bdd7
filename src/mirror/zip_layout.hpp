// Where the members of a ZIP file lie: its directory, read as a whole and compared with the members' own records.
// Promises that members of a layout neither overlap each other nor the directory, that each local header agrees with
// its entry, and that every program finds the same members: what is ambiguous or unsafe to unpack is refused, with a
// reason for people. Its memory is bounded by `LayoutLimits`. Never reads a member's contents.
#pragma once

#include "mirror/tally.hpp"
#include "mirror/zip_records.hpp"
#include "vtmirror/base/descriptor.hpp"
#include "vtmirror/base/result.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace vtmirror::mirror {

/// What a directory may have: it is in memory as a whole, and libzip has it there a second time and cannot be stopped
/// while it reads it.
struct LayoutLimits {
  std::uint64_t members = 0;
  std::uint64_t directory = 0;  ///< bytes
};
/// A ZIP beyond these can only be verified by the follower, which needs no memory for a member.
inline constexpr LayoutLimits limits_of_checks{.members = 100'000, .directory = std::uint64_t{64} << 20};
/// For files that were checked before, and without libzip.
inline constexpr LayoutLimits limits_of_reading{.members = 5'000'000, .directory = std::uint64_t{1} << 30};

/// Where a ZIP file says that its directory is.
struct ZipEnd {
  std::uint64_t members = 0;
  std::uint64_t directory = 0;
  std::uint64_t directory_size = 0;
  std::uint64_t at = 0;  ///< of the first end record: `directory` and `directory_size` reach there, or less far
};

/// A file that is read, and its name in errors. The file and the name must outlive it.
struct ZipFile {
  const base::Descriptor& file;
  const std::string& name;
  std::uint64_t size = 0;
};

/// Errors: io.
base::Result<ZipFile> zip_file(const base::Descriptor& file, const std::string& name);

/// All `bytes` from `offset` on. Errors: io, also if the file ends before.
base::Result<void> read_at(const ZipFile& zip, std::uint64_t offset, std::span<std::byte> bytes);

/// Errors: integrity, io.
base::Result<ZipEnd> find_zip_end(const ZipFile& zip);

struct ZipEntry {
  ZipMember member;        ///< as the directory has it; its name lies in the layout
  std::uint64_t data = 0;  ///< where its contents begin
  std::uint64_t end = 0;   ///< of its contents and of the descriptor behind them
  bool is_directory() const { return member.name.ends_with('/') && member.size == 0; }
};

struct ZipLayout {
  std::vector<std::byte> directory;
  std::vector<ZipEntry> entries;  ///< in the directory's order
};

/// Errors: integrity, io, cancelled.
base::Result<ZipLayout> read_layout(const ZipFile& zip, const LayoutLimits& limits, Tally& tally);

/// How a member is called in errors: "member b.json", "v1/a.zip: member b.json".
std::string member_label(std::string_view member);
std::string member_label(const std::string& name, std::string_view member);
/// An error about the whole file, or about a member of it.
base::Error zip_damage(const std::string& name, std::string_view what);
base::Error member_damage(const std::string& name, std::string_view member, std::string_view what);

}  // namespace vtmirror::mirror
