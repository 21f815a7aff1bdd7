#include "mirror/member_reader.hpp"

#include "mirror/inflater.hpp"
#include "mirror/zlib_inflater.hpp"

#include <algorithm>
#include <utility>

namespace vtmirror::mirror {
namespace {

constexpr std::size_t buffer_size = std::size_t{256} << 10;
/// A slice inflates to a thousand times its size at most.
constexpr std::size_t slice_size = std::size_t{32} << 10;

std::unique_ptr<StreamInflater> inflater_of(MemberReader::Engine engine) {
  if (engine == MemberReader::Engine::quick && Inflater::available()) return std::make_unique<Inflater>();
  return std::make_unique<ZlibInflater>();
}

/// About how many bytes of a member have been read when that many are unpacked: libzip does not say it.
std::int64_t packed_part(const ZipMember& member, std::uint64_t unpacked) {
  const auto part = static_cast<double>(unpacked) / static_cast<double>(std::max<std::uint64_t>(member.size, 1));
  return static_cast<std::int64_t>(static_cast<double>(member.packed) * std::min(part, 1.0));
}

}  // namespace

std::uint64_t most_inflated(std::uint64_t size) { return (std::uint64_t{256} << 20) + 200 * size; }

MemberReader::MemberReader(const ZipFile& zip, Tally& tally, Engine engine, std::uint64_t allowed)
    : zip_(zip), tally_(tally), inflater_(inflater_of(engine)), gzip_(inflater_of(engine)), allowed_(allowed) {}

bool MemberReader::can_read(const ZipEntry& entry) {
  return entry.member.method == zip::stored || entry.member.method == zip::deflated;
}

base::Error MemberReader::damage(const ZipEntry& entry, std::string_view what) const {
  return member_damage(zip_.name, entry.member.name, what);
}

void MemberReader::begin(const ZipEntry& entry, const Feed& consumer) {
  consumer_ = &consumer;
  in_gzip_ = is_gzip_name(entry.member.name);
  gzip_is_sound_ = true;
  stopped_ = too_much_ = too_long_ = false;
  state_ = StreamInflater::State::open;
  size_ = 0;
  crc_ = 0;
  most_ = entry.member.size;
  if (in_gzip_) gzip_.begin();
}

/// Members without contents count as work too, because there may be very many.
base::Result<void> MemberReader::end(const ZipEntry& entry) {
  if (const auto what = verdict(entry); !what.empty())
    return damage(entry, what + " (its data begin at byte " + std::to_string(entry.data) + " of the ZIP)");
  if (tally_.add(0, 1024)) return {};
  return cancelled(zip_.name);
}

base::Result<void> MemberReader::read(const ZipEntry& entry, const Feed& consumer) {
  begin(entry, consumer);
  if (entry.member.method == zip::deflated) inflater_->begin();
  if (auto read = read_packed(entry); !read) return read;
  return end(entry);
}

base::Result<void> MemberReader::read_by(const LibzipArchive& archive, std::uint64_t index, const ZipEntry& entry,
                                         const Feed& consumer) {
  begin(entry, consumer);
  const auto where = member_label(zip_.name, entry.member.name);
  std::int64_t done = 0;
  auto read = archive.read(index, where, [&](Bytes contents) {
    size_ += contents.size();
    crc_ = crc32(crc_, contents);
    count(contents);
    feed_contents(contents);
    const auto before = std::exchange(done, packed_part(entry.member, size_));
    if (!tally_.add(done - before, 0)) stopped_ = true;
    return interrupted(entry, entry.data).has_value();
  });
  if (auto whole = interrupted(entry, entry.data); !whole) return whole;
  if (!read) return read;
  if (!tally_.add(static_cast<std::int64_t>(entry.member.packed) - done, 0)) stopped_ = true;
  state_ = StreamInflater::State::ended;
  return end(entry);
}

base::Result<void> MemberReader::read_packed(const ZipEntry& entry) {
  buffer_.resize(buffer_size);
  const auto end = entry.data + entry.member.packed;
  for (auto at = entry.data; at < end;) {
    const auto part =
        std::span(buffer_).first(static_cast<std::size_t>(std::min<std::uint64_t>(end - at, buffer_size)));
    if (auto read = read_at(zip_, at, part); !read) return read;
    for (Bytes rest = part; !rest.empty();) {
      const auto slice = rest.first(std::min(rest.size(), slice_size));
      rest = rest.subspan(slice.size());
      if (auto taken = feed(entry, slice, at); !taken) return taken;
      at += slice.size();
    }
  }
  return {};
}

base::Result<void> MemberReader::feed(const ZipEntry& entry, Bytes slice, std::uint64_t at) {
  const auto length = static_cast<std::int64_t>(slice.size());
  if (entry.member.method == zip::stored) {
    crc_ = crc32(crc_, slice);
    size_ += slice.size();
    feed_contents(slice);
  } else if (state_ == StreamInflater::State::open) {
    state_ = inflater_->add(slice, [this](Bytes contents) {
      size_ += contents.size();
      too_long_ = too_long_ || size_ > most_;
      count(contents);
      feed_contents(contents);
    });
    crc_ = inflater_->crc();
  }
  if (!tally_.add(length, length)) stopped_ = true;
  if (auto whole = interrupted(entry, at); !whole) return whole;
  if (state_ == StreamInflater::State::refused)
    return damage(entry, "its data are damaged near byte " + std::to_string(at) + " of the ZIP");
  const auto behind = inflater_->unused().size() + slice.size();
  if (state_ != StreamInflater::State::ended || behind == 0) return {};
  return damage(entry, "more bytes follow the end of its data, from byte " +
                           std::to_string(at + static_cast<std::uint64_t>(length) - behind) + " of the ZIP on");
}

base::Result<void> MemberReader::interrupted(const ZipEntry& entry, std::uint64_t at) const {
  if (stopped_) return cancelled(zip_.name);
  if (too_long_) return damage(entry, "it is longer than the " + std::to_string(most_) + " bytes that it should have");
  if (too_much_)
    return damage(entry,
                  "the ZIP inflates to more than 256 MiB and 200 times its size, so it may be a decompression bomb");
  if (!gzip_is_sound_) return damage(entry, about_gzip() + ", near byte " + std::to_string(at) + " of the ZIP");
  return {};
}

void MemberReader::feed_contents(Bytes contents) {
  if (stopped_ || too_much_ || too_long_ || !gzip_is_sound_) return;
  if (!in_gzip_) return pass(contents);
  gzip_is_sound_ = gzip_.add(contents, [this](Bytes inflated) {
    count(inflated);
    if (!stopped_ && !too_much_) pass(inflated);
  });
}

/// Asks for each piece whether to continue: compressed twice, little inflates to very much.
void MemberReader::count(Bytes inflated) {
  if (stopped_ || too_much_) return;
  too_much_ = inflated.size() > allowed_;
  allowed_ -= std::min<std::uint64_t>(allowed_, inflated.size());
  if (!tally_.add(0, static_cast<std::int64_t>(inflated.size()))) stopped_ = true;
}

void MemberReader::pass(Bytes contents) {
  if (*consumer_ && !(*consumer_)(contents)) stopped_ = true;
}

std::string MemberReader::about_gzip() const { return "the gzip file in it " + std::string(gzip_.verdict()); }

std::string MemberReader::verdict(const ZipEntry& entry) const {
  const auto& member = entry.member;
  const bool is_stored = member.method == zip::stored;
  if (is_stored && member.size != member.packed) return "it is stored uncompressed, but its two sizes differ";
  if (!is_stored && state_ != StreamInflater::State::ended) return "its data are truncated";
  if (size_ > member.size) return "it is longer than the central directory says";
  if (size_ < member.size) return "it is shorter than the central directory says";
  if (crc_ != member.crc) return "its checksum is wrong";
  return in_gzip_ && !gzip_.verdict().empty() ? about_gzip() : "";
}

}  // namespace vtmirror::mirror
