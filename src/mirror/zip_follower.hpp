// Follows a ZIP file while it arrives: its members one after the other, gzip files among them to their ends, and its
// directory at the end.
// Promises that a file that it calls good passes the check by libzip too, and that its memory stays below 8 MiB,
// however many members there are. Never says that a file is bad: it leaves what it cannot follow, damage or merely
// something unusual, to that check.
#pragma once

#include "mirror/gzip_reader.hpp"
#include "mirror/inflater.hpp"
#include "mirror/tally.hpp"
#include "mirror/zip_directory.hpp"
#include "mirror/zip_records.hpp"
#include "vtmirror/base/descriptor.hpp"
#include "vtmirror/base/result.hpp"

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace vtmirror::mirror {

class ZipFollower {
 public:
  /// It follows no ZIP that inflates to more than `most_inflated` bytes.
  explicit ZipFollower(std::uint64_t most_inflated = std::numeric_limits<std::uint64_t>::max());

  /// The next bytes of the file, from its first one on. Bytes behind the beginning of the directory are ignored.
  void add(Bytes bytes);

  /// Whether everything so far was right and could be followed. Once false, it stays so.
  bool follows() const { return state_ != State::lost; }

  /// How many bytes have been inflated, gzip files included. A call of `add` adds 64 MiB at most for each 32 KiB.
  std::uint64_t inflated() const { return inflated_; }

  /// Must be called when all `size` bytes were added. Reads the directory, which is compared with the members, and
  /// returns whether the ZIP is good. May be called again, after `cancelled`. Errors: io, cancelled.
  base::Result<bool> finish(const base::Descriptor& file, const std::string& name, std::int64_t size,
                            Tally& tally) const;

 private:
  enum class State { mark, header, stored, deflated, descriptor, directory, lost };

  bool gathers() const { return state_ == State::mark || state_ == State::header || state_ == State::descriptor; }
  void gather(Bytes& bytes);
  void read_gathered();
  void expect(State state, std::size_t count);
  void read_mark();
  void read_header();
  void read_stored(Bytes& bytes);
  void end_stored();
  void read_deflated(Bytes& bytes);
  void end_deflated();
  void feed_contents(Bytes contents);
  void count_inflated(std::uint64_t bytes);
  void read_descriptor();
  void end_member(std::uint64_t descriptor_size);
  void lose() { state_ = State::lost; }

  State state_ = State::lost;
  std::vector<std::byte> gathered_;  ///< of a record, at most two texts of 64 KiB long
  std::size_t wanted_ = 0;           ///< bytes of `gathered_` that are needed
  ZipMember member_;                 ///< its name lies in `name_`
  std::string name_;
  std::uint64_t left_ = 0;  ///< bytes of the member's contents that have not come yet
  std::uint64_t packed_ = 0;
  std::uint32_t crc_ = 0;  ///< of a stored member
  std::uint64_t most_inflated_;
  std::uint64_t inflated_ = 0;
  std::uint64_t limit_ = 0;  ///< of `inflated_` in this call of `add`
  Inflater inflater_;
  GzipReader gzip_;
  bool in_gzip_ = false;  ///< the member is a gzip file
  MemberDigest members_;
  FollowedMembers followed_;
};

}  // namespace vtmirror::mirror
