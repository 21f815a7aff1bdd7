// Compares the directory of a ZIP file, and the records behind it, with the members that were followed.
// Promises the memory of a few buffers, however many members there are. Changes nothing.
#pragma once

#include "mirror/tally.hpp"
#include "mirror/zip_names.hpp"
#include "mirror/zip_records.hpp"
#include "vtmirror/base/descriptor.hpp"
#include "vtmirror/base/result.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace vtmirror::mirror {

/// What the members said until the directory began.
struct FollowedMembers {
  std::uint64_t count = 0;
  std::uint64_t directory = 0;  ///< where it begins
  Sha256::Digest digest{};      ///< of the members as a `MemberDigest`
  VersionFloors versions;
};

class ZipDirectory {
 public:
  /// All of them must outlive it.
  ZipDirectory(const base::Descriptor& file, const std::string& name, std::uint64_t size, Tally& tally);

  /// Whether the directory names these members, in their order and each with a place of its own, and the file ends
  /// as it should.
  /// Errors: io, cancelled.
  base::Result<bool> matches(const FollowedMembers& members);

 private:
  base::Result<void> load(std::size_t count);
  base::Result<bool> read_entries(const FollowedMembers& members, PlaceHashes& places, bool compare);
  base::Result<bool> next_entry(ZipMember& member, std::size_t& length);
  base::Result<bool> places_differ(const FollowedMembers& members, PlaceHashes& places);
  base::Result<bool> ends_well(const FollowedMembers& members);
  base::Result<bool> has_one_end(bool zip64);
  Bytes loaded() const { return Bytes(buffer_).subspan(begin_, end_ - begin_); }
  void go_to(std::uint64_t offset);

  const base::Descriptor* file_;
  const std::string* name_;
  std::uint64_t size_;
  Tally* tally_;
  std::vector<std::byte> buffer_;
  std::size_t begin_ = 0, end_ = 0;  ///< the part of `buffer_` that was not used yet
  std::uint64_t next_ = 0;           ///< where reading the file continues
};

}  // namespace vtmirror::mirror
