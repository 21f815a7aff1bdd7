#include "mirror/zip_follower.hpp"

#include <algorithm>
#include <limits>

namespace vtmirror::mirror {
namespace {

/// The longest descriptor and the mark behind it, which shows where it ends.
constexpr std::size_t descriptor_room = 24 + zip::mark_size;

/// Compressed twice, a slice could inflate for minutes, in which nobody asks whether to stop.
constexpr std::size_t slice = std::size_t{32} << 10, most_from_slice = std::size_t{64} << 20;

bool begins_next(Bytes bytes) { return mark_of(bytes) == zip::local_mark || mark_of(bytes) == zip::entry_mark; }

/// Returns the length of the descriptor, or 0 if it does not match the contents. It may have a mark or not, and sizes
/// of 32 or of 64 bits: nothing before it says which.
std::size_t descriptor_size(Bytes bytes, const ZipMember& member) {
  for (const bool marked : {true, false}) {
    for (const std::size_t width : {4U, 8U}) {
      Fields fields(bytes);
      const auto size = [&] { return width == 4 ? fields.u32() : fields.u64(); };
      if (marked && fields.u32() != zip::descriptor_mark) continue;
      if (fields.u32() != member.crc || size() != member.packed || size() != member.size) continue;
      const std::size_t length = (marked ? 8 : 4) + 2 * width;
      if (begins_next(bytes.subspan(length))) return length;
    }
  }
  return 0;
}

}  // namespace

ZipFollower::ZipFollower(std::uint64_t most_inflated)
    : most_inflated_(most_inflated), gzip_(std::make_unique<Inflater>()) {
  if (Inflater::available()) expect(State::mark, zip::mark_size);
}

void ZipFollower::expect(State state, std::size_t count) {
  state_ = state;
  wanted_ = count;
}

void ZipFollower::add(Bytes bytes) {
  limit_ = std::min(most_inflated_, inflated_ + (bytes.size() / slice + 1) * most_from_slice);
  while (state_ != State::lost && state_ != State::directory) {
    if (gathers()) {
      gather(bytes);
      if (gathered_.size() < wanted_) return;
      read_gathered();
      continue;
    }
    if (bytes.empty()) return;
    state_ == State::stored ? read_stored(bytes) : read_deflated(bytes);
  }
}

void ZipFollower::gather(Bytes& bytes) {
  if (gathered_.size() >= wanted_) return;
  const auto count = std::min(wanted_ - gathered_.size(), bytes.size());
  gathered_.insert(gathered_.end(), bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(count));
  bytes = bytes.subspan(count);
}

void ZipFollower::read_gathered() {
  if (state_ == State::mark) return read_mark();
  if (state_ == State::header) return read_header();
  read_descriptor();
}

/// Where a member may begin. The directory follows the last one without a gap.
void ZipFollower::read_mark() {
  const auto mark = mark_of(gathered_);
  if (mark == zip::local_mark) return expect(State::header, zip::local_size);
  if (mark != zip::entry_mark || followed_.count == 0) return lose();
  followed_.digest = members_.digest();
  state_ = State::directory;
}

void ZipFollower::read_header() {
  const auto length = local_length(gathered_);
  if (gathered_.size() < length) return expect(State::header, length);
  const auto member = read_local(gathered_);
  if (!member) return lose();
  member_ = *member;
  name_ = member->name;
  member_.name = name_;
  member_.offset = followed_.directory;
  followed_.directory += length;
  gathered_.clear();
  left_ = member_.described_later() ? std::numeric_limits<std::uint64_t>::max() : member_.packed;
  packed_ = 0;
  crc_ = 0;
  in_gzip_ = is_gzip_name(name_);
  if (in_gzip_) gzip_.begin();
  state_ = member_.method == zip::stored ? State::stored : State::deflated;
  if (state_ == State::deflated) return inflater_.begin();
  if (left_ == 0) end_stored();
}

void ZipFollower::read_stored(Bytes& bytes) {
  const auto part = bytes.first(static_cast<std::size_t>(std::min<std::uint64_t>(left_, bytes.size())));
  crc_ = crc32(crc_, part);
  feed_contents(part);
  left_ -= part.size();
  bytes = bytes.subspan(part.size());
  if (left_ == 0 && state_ == State::stored) end_stored();
}

/// A part of a member as it was before it was packed.
void ZipFollower::feed_contents(Bytes contents) {
  if (!in_gzip_ || state_ == State::lost) return;
  const auto count = [this](Bytes inflated) { count_inflated(inflated.size()); };
  if (!gzip_.add(contents, count)) lose();
}

void ZipFollower::count_inflated(std::uint64_t bytes) {
  inflated_ += bytes;
  if (inflated_ > limit_) lose();
}

void ZipFollower::end_stored() {
  if (crc_ != member_.crc || member_.size != member_.packed) return lose();
  end_member(0);
}

void ZipFollower::read_deflated(Bytes& bytes) {
  auto part = bytes.first(static_cast<std::size_t>(std::min<std::uint64_t>(left_, bytes.size())));
  const auto given = part.size();
  const auto state = inflater_.add(part, [this](Bytes inflated) {
    count_inflated(inflated.size());
    feed_contents(inflated);
  });
  if (state_ == State::lost) return;
  const auto read = given - part.size();
  packed_ += read;
  left_ -= read;
  bytes = bytes.subspan(read);
  if (state == Inflater::State::ended) return end_deflated();
  const bool too_long = !member_.described_later() && inflater_.size() > member_.size;
  if (state == Inflater::State::refused || left_ == 0 || too_long) lose();
}

/// A stream must end with the last byte that belongs to it. If a descriptor follows, only the stream shows where that
/// is.
void ZipFollower::end_deflated() {
  const auto behind = inflater_.unused();
  if (!member_.described_later()) {
    const bool whole = left_ == 0 && behind.empty();
    if (!whole || inflater_.size() != member_.size || inflater_.crc() != member_.crc) return lose();
    return end_member(0);
  }
  member_.crc = inflater_.crc();
  member_.size = inflater_.size();
  member_.packed = packed_ - behind.size();
  gathered_.assign(behind.begin(), behind.end());
  expect(State::descriptor, descriptor_room);
}

void ZipFollower::read_descriptor() {
  const auto size = descriptor_size(gathered_, member_);
  if (size == 0) return lose();
  gathered_.erase(gathered_.begin(), gathered_.begin() + static_cast<std::ptrdiff_t>(size));
  end_member(size);
}

void ZipFollower::end_member(std::uint64_t descriptor_size) {
  if (in_gzip_ && !gzip_.verdict().empty()) return lose();
  members_.add(member_);
  followed_.versions.add(member_);
  ++followed_.count;
  followed_.directory += member_.packed + descriptor_size;
  expect(State::mark, zip::mark_size);
}

base::Result<bool> ZipFollower::finish(const base::Descriptor& file, const std::string& name, std::int64_t size,
                                       Tally& tally) const {
  if (state_ != State::directory) return false;
  return ZipDirectory(file, name, static_cast<std::uint64_t>(size), tally).matches(followed_);
}

}  // namespace vtmirror::mirror
