// The records of a ZIP file: local headers and directory entries, read from their bytes.
// Promises to read only what every program reads in the same way; anything unusual is not read at all. Never reads a
// file.
#pragma once

#include "mirror/sha256.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace vtmirror::mirror {

using Bytes = std::span<const std::byte>;

namespace zip {

inline constexpr std::uint32_t local_mark = 0x04034b50, entry_mark = 0x02014b50, descriptor_mark = 0x08074b50,
                               end64_mark = 0x06064b50, locator_mark = 0x07064b50, end_mark = 0x06054b50;
inline constexpr std::size_t mark_size = 4, local_size = 30, entry_size = 46, end64_size = 56, locator_size = 20,
                             end_size = 22, longest_text = 65535;
inline constexpr std::uint16_t stored = 0, deflated = 8;
/// A number that says: the ZIP64 field among the extra fields has it.
inline constexpr std::uint32_t in_zip64 = 0xFFFFFFFF;
/// Ids of extra fields.
inline constexpr std::uint16_t zip64_id = 1, unicode_path_id = 0x7075;

}  // namespace zip

/// Takes little-endian numbers from the front of some bytes, which must be there.
class Fields {
 public:
  explicit Fields(Bytes bytes) : bytes_(bytes) {}
  Bytes next(std::size_t count);
  std::uint16_t u16() { return static_cast<std::uint16_t>(number(2)); }
  std::uint32_t u32() { return static_cast<std::uint32_t>(number(4)); }
  std::uint64_t u64() { return number(8); }
  std::size_t left() const { return bytes_.size(); }

 private:
  std::uint64_t number(std::size_t count);
  Bytes bytes_;
};

/// The first four bytes.
std::uint32_t mark_of(Bytes bytes);

/// What a member's local header and its directory entry both contain.
struct ZipMember {
  std::uint64_t offset = 0;  ///< of the local header, which does not contain it
  std::uint16_t version = 0, flags = 0, method = 0, time = 0, date = 0;
  std::uint32_t crc = 0;
  std::uint64_t packed = 0, size = 0;
  std::uint32_t attributes = 0;  ///< of the file that was packed; a local header does not contain them
  std::string_view name;         ///< lies in the record

  /// Checksum and sizes follow the contents, and are 0 in the local header.
  bool described_later() const { return (flags & 8U) != 0; }
};

/// How long the texts behind the numbers of a record are.
struct TextLengths {
  std::size_t name = 0, extra = 0;
};
/// Takes the numbers that a local header and an entry have in common, from the version needed on.
TextLengths take_numbers(Fields& fields, ZipMember& member);

std::string_view text_of(Bytes bytes);

// How long the record is, from its first `local_size` or `entry_size` bytes.

std::size_t local_length(Bytes fixed);
std::size_t entry_length(Bytes fixed);

/// A whole local header, with its mark. Empty if it is unusual.
std::optional<ZipMember> read_local(Bytes header);

/// A whole entry of the directory, with its mark. Empty if it is unusual.
std::optional<ZipMember> read_entry(Bytes entry);

/// Many members as a few bytes: equal if the members and their order were equal.
class MemberDigest {
 public:
  /// All of it but the version, which a directory entry may raise, and the attributes.
  void add(const ZipMember& member);
  Sha256::Digest digest() { return sha256_.digest(); }

 private:
  Sha256 sha256_;
};

/// The highest version that the local headers of each kind of member need: no entry of that kind may need a lower one.
/// Entries need a higher one if only their offset is large.
class VersionFloors {
 public:
  void add(const ZipMember& local);
  bool allow(const ZipMember& entry) const;

 private:
  static std::size_t kind(const ZipMember& member);
  std::array<std::uint16_t, 16> floors_{};
};

}  // namespace vtmirror::mirror
