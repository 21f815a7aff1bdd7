#include "mirror/zip_directory.hpp"

#include "mirror/tree.hpp"
#include "mirror/zip_names.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace vtmirror::mirror {
namespace {

/// More than the longest entry, and than the farthest from the end that libzip looks for the end record.
constexpr std::size_t buffer_size = std::size_t{256} << 10;
constexpr std::size_t searched_for_end = 65536 + zip::end_size + zip::locator_size;
/// Of a ZIP with more directories than members, no more are compared than that many passes can.
constexpr std::uint64_t least_passes = 8, members_of_a_pass = PlaceHashes::usual_hashes / 2;

/// What the end records say.
struct End {
  std::uint64_t members, size, offset;  ///< of the directory
};

/// Whether a number of the old record is the same, or says that ZIP64 has it.
template <class Number>
bool agrees(Number number, std::uint64_t value, bool zip64) {
  return number == value || (zip64 && number == static_cast<Number>(~Number{0}));
}

bool is_end64(Bytes bytes, const End& end) {
  Fields fields(bytes);
  if (fields.u32() != zip::end64_mark || fields.u64() != zip::end64_size - 12) return false;
  fields.next(4);  // versions
  const bool one_disk = fields.u64() == 0;
  const bool counts = fields.u64() == end.members && fields.u64() == end.members;
  return one_disk && counts && fields.u64() == end.size && fields.u64() == end.offset;
}

bool is_locator(Bytes bytes, const End& end) {
  Fields fields(bytes);
  const bool first_disk = fields.u32() == zip::locator_mark && fields.u32() == 0;
  return first_disk && fields.u64() == end.offset + end.size && fields.u32() == 1;
}

/// Whether the bytes are the end record, with nothing behind it but its comment.
bool is_end(Bytes bytes, const End& end, bool zip64) {
  Fields fields(bytes);
  if (fields.u32() != zip::end_mark || fields.u32() != 0) return false;
  for (int i = 0; i < 2; ++i)
    if (!agrees(fields.u16(), end.members, zip64)) return false;
  if (!agrees(fields.u32(), end.size, zip64) || !agrees(fields.u32(), end.offset, zip64)) return false;
  const std::size_t comment = fields.u16();
  return fields.left() == comment;
}

}  // namespace

ZipDirectory::ZipDirectory(const base::Descriptor& file, const std::string& name, std::uint64_t size, Tally& tally)
    : file_(&file), name_(&name), size_(size), tally_(&tally), buffer_(buffer_size) {}

void ZipDirectory::go_to(std::uint64_t offset) {
  next_ = offset;
  begin_ = end_ = 0;
}

/// Reads until `count` bytes are loaded, or the file ends.
base::Result<void> ZipDirectory::load(std::size_t count) {
  if (end_ - begin_ >= count) return {};
  std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
  end_ -= std::exchange(begin_, 0);
  while (end_ < count && next_ < size_) {
    const auto room = static_cast<std::size_t>(std::min<std::uint64_t>(buffer_.size() - end_, size_ - next_));
    const auto at = static_cast<off_t>(next_);
    const auto got = base::uninterrupted([&] { return ::pread(file_->get(), buffer_.data() + end_, room, at); });
    if (got < 0) return failure(errno, *name_, "read at " + std::to_string(next_));
    if (got == 0) break;
    end_ += static_cast<std::size_t>(got);
    next_ += static_cast<std::uint64_t>(got);
    if (!tally_->add(0, got)) return cancelled(*name_);
  }
  return {};
}

/// False if there is no usual entry. The name of `member` stays valid until the next call.
base::Result<bool> ZipDirectory::next_entry(ZipMember& member, std::size_t& length) {
  if (auto fixed = load(zip::entry_size); !fixed) return fixed.error();
  if (loaded().size() < zip::entry_size || mark_of(loaded()) != zip::entry_mark) return false;
  length = entry_length(loaded());
  if (auto whole = load(length); !whole) return whole.error();
  if (loaded().size() < length) return false;
  const auto entry = read_entry(loaded().first(length));
  begin_ += length;
  if (entry) member = *entry;
  return entry.has_value();
}

/// Gives the members to one pass over their places. With `compare`, also compares the entries with the members.
base::Result<bool> ZipDirectory::read_entries(const FollowedMembers& members, PlaceHashes& places, bool compare) {
  go_to(members.directory);
  MemberDigest digest;
  for (std::uint64_t i = 0; i < members.count; ++i) {
    ZipMember member;
    std::size_t length = 0;
    auto taken = next_entry(member, length);
    if (!taken || !*taken) return taken;
    places.add(member);
    if (!compare) continue;
    if (!members.versions.allow(member)) return false;
    digest.add(member);
  }
  return !compare || digest.digest() == members.digest;
}

/// Compares the places that the first pass left, which read the entries too.
base::Result<bool> ZipDirectory::places_differ(const FollowedMembers& members, PlaceHashes& places) {
  const auto passes = least_passes + members.count / members_of_a_pass;
  for (std::uint64_t pass = 1; !places.collided() && places.begin_pass(); ++pass) {
    if (pass == passes) return false;
    auto read = read_entries(members, places, false);
    if (!read || !*read) return read;
  }
  return !places.collided();
}

/// Checks the end records, behind the entries.
base::Result<bool> ZipDirectory::ends_well(const FollowedMembers& members) {
  const auto behind = next_ - loaded().size();
  const End end{.members = members.count, .size = behind - members.directory, .offset = members.directory};
  if (size_ - behind > zip::end64_size + zip::locator_size + zip::end_size + zip::longest_text) return false;
  if (auto rest = load(static_cast<std::size_t>(size_ - behind)); !rest) return rest.error();
  auto records = loaded();
  if (records.size() < zip::end_size) return false;
  const bool zip64 = mark_of(records) == zip::end64_mark;
  if (zip64) {
    if (records.size() < zip::end64_size + zip::locator_size + zip::end_size) return false;
    if (!is_end64(records, end) || !is_locator(records.subspan(zip::end64_size), end)) return false;
    records = records.subspan(zip::end64_size + zip::locator_size);
  }
  if (!is_end(records, end, zip64)) return false;
  return has_one_end(zip64);
}

/// libzip accepts any bytes near the end that look like the end record, and any before it that look like a locator. So
/// there must be only one candidate.
base::Result<bool> ZipDirectory::has_one_end(bool zip64) {
  const auto searched = std::min<std::uint64_t>(size_, searched_for_end);
  go_to(size_ - searched);
  if (auto tail = load(static_cast<std::size_t>(searched)); !tail) return tail.error();
  int ends = 0, locators = 0;
  for (auto rest = loaded(); rest.size() >= zip::mark_size; rest = rest.subspan(1)) {
    if (rest.front() != std::byte{'P'}) continue;
    const auto mark = mark_of(rest);
    if (mark == zip::end_mark) ++ends;
    if (mark == zip::locator_mark) ++locators;
  }
  return ends == 1 && locators == (zip64 ? 1 : 0);
}

base::Result<bool> ZipDirectory::matches(const FollowedMembers& members) {
  std::uint64_t key = 0;
  std::memcpy(&key, members.digest.data(), sizeof(key));
  PlaceHashes places(key);
  places.begin_pass();
  auto good = read_entries(members, places, true);
  if (good && *good) good = ends_well(members);
  if (good && *good) good = places_differ(members, places);
  return good;
}

}  // namespace vtmirror::mirror
