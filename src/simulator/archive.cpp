#include "simulator/archive.hpp"

#include "simulator/block.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>

namespace vtmirror::simulator {
namespace {

/// The records of a ZIP file as bytes: local and central headers, and the end of the directory, in ZIP64 form if
/// requested.
struct Member {
  std::string name;
  Method method{};
  std::uint32_t crc = 0;
  std::uint64_t compressed = 0;
  std::uint64_t plain = 0;
  std::uint64_t at = 0;  ///< where its local header begins
};

struct Directory {
  std::uint64_t members = 0;
  std::uint64_t at = 0;
  std::uint64_t size = 0;
};

constexpr std::uint32_t in_zip64 = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint16_t dos_time = 7U << 11U;                                    // 07:00
constexpr std::uint16_t dos_date = ((2026U - 1980U) << 9U) | (11U << 5U) | 15U;  // 15 November 2026

class Record {
 public:
  Record& u16(std::uint64_t value) { return put(value, 2); }
  Record& u32(std::uint64_t value) { return put(value, 4); }
  Record& u64(std::uint64_t value) { return put(value, 8); }
  Record& text(const std::string& value) {
    bytes_ += value;
    return *this;
  }
  std::string finish() { return std::move(bytes_); }

 private:
  Record& put(std::uint64_t value, int bytes) {
    for (int i = 0; i < bytes; ++i, value >>= 8U) bytes_ += static_cast<char>(value & 0xffU);
    return *this;
  }
  std::string bytes_;
};

// The fields that the local and the central header share, from "version needed" to the length of the name.
void put_body(Record& record, const Member& member, bool zip64) {
  record.u16(zip64 ? 45 : 20).u16(0).u16(static_cast<std::uint16_t>(member.method)).u16(dos_time).u16(dos_date);
  record.u32(member.crc).u32(zip64 ? in_zip64 : member.compressed).u32(zip64 ? in_zip64 : member.plain);
  record.u16(member.name.size());
}

std::string local_header(const Member& member, bool zip64) {
  Record record;
  record.u32(0x04034b50);
  put_body(record, member, zip64);
  record.u16(zip64 ? 20 : 0).text(member.name);
  if (zip64) record.u16(1).u16(16).u64(member.plain).u64(member.compressed);
  return record.finish();
}

std::string central_header(const Member& member, bool zip64) {
  Record record;
  record.u32(0x02014b50).u16(zip64 ? 45 : 20);
  put_body(record, member, zip64);
  record.u16(zip64 ? 28 : 0).u16(0).u16(0).u16(0).u32(0).u32(zip64 ? in_zip64 : member.at).text(member.name);
  if (zip64) record.u16(1).u16(24).u64(member.plain).u64(member.compressed).u64(member.at);
  return record.finish();
}

std::string end_of_directory(const Directory& directory, bool zip64) {
  Record record;
  if (zip64) {
    const std::uint64_t end_at = directory.at + directory.size;
    record.u32(0x06064b50).u64(44).u16(45).u16(45).u32(0).u32(0).u64(directory.members).u64(directory.members);
    record.u64(directory.size).u64(directory.at);
    record.u32(0x07064b50).u32(0).u64(end_at).u32(1);
  }
  record.u32(0x06054b50).u16(0).u16(0).u16(directory.members).u16(directory.members);
  record.u32(zip64 ? in_zip64 : directory.size).u32(zip64 ? in_zip64 : directory.at).u16(0);
  return record.finish();
}

constexpr std::uint64_t most_members = 8;
constexpr std::size_t most_patterns = 8;  // different blocks of each method in one archive

std::string member_name(std::uint64_t number) {
  return "light-vehicle-tests-" + std::string(1, static_cast<char>('0' + number)) + ".json.gz";
}

struct Layout {
  bool zip64 = false;
  std::uint64_t members = 1;
  std::uint64_t blocks = 0;  // over all members
  std::size_t odd = 0;       // size of the last member's last block
};

bool is_deflated(Deflated deflated, std::uint64_t member, std::uint64_t members) {
  if (member + 1 == members) return false;
  return deflated == Deflated::all || (deflated == Deflated::some && member % 4 == 1);
}

std::uint64_t deflated_members(const Layout& layout, Deflated deflated) {
  std::uint64_t count = 0;
  for (std::uint64_t i = 0; i < layout.members; ++i) count += is_deflated(deflated, i, layout.members) ? 1U : 0U;
  return count;
}

std::uint64_t overhead(const Layout& layout, Deflated deflated) {
  const Member sample{.name = member_name(0)};
  const std::uint64_t each = local_header(sample, layout.zip64).size() + central_header(sample, layout.zip64).size();
  return layout.members * each + end_of_directory({}, layout.zip64).size() +
         deflated_members(layout, deflated) * sizeof end_of_deflate;
}

// The last block, of odd size, takes what whole blocks do not fill, so that the total is exact.
Layout lay_out(std::uint64_t bytes, Deflated deflated) {
  Layout layout;
  layout.zip64 = bytes > 0xffffffffU - (1U << 20U);
  layout.members = std::clamp<std::uint64_t>(bytes / (2 * Archive::block_size), 1, most_members);
  const std::uint64_t fixed = overhead(layout, deflated);
  const std::uint64_t rest = std::max(bytes, fixed + Block::smallest) - fixed;
  layout.blocks = (rest - Block::smallest) / Archive::block_size;
  layout.odd = static_cast<std::size_t>(rest - layout.blocks * Archive::block_size);
  return layout;
}

/// Names are those of the service.
Records records_of(const Recipe& recipe) {
  return recipe.name.find("delta") == std::string::npos ? Records::all : Records::changes;
}

std::vector<Block> patterns(Method method, std::uint64_t blocks, Random& random, Records records) {
  std::vector<Block> made;
  const std::uint64_t count = std::min<std::uint64_t>(blocks, most_patterns);
  for (std::uint64_t i = 0; i < count; ++i) made.push_back(Block::make(method, Archive::block_size, random, records));
  return made;
}

void checksum(Member& member, const std::vector<Block>& run, std::uint64_t first, std::uint64_t count) {
  for (std::uint64_t n = first; n < first + count; ++n) {
    const Block& block = run[n % run.size()];
    member.crc = block.join(member.crc, block.crc(n));
    member.plain += block.plain_size();
    member.compressed += block.size();
  }
}

}  // namespace

std::uint64_t Archive::size_of(std::uint64_t bytes) {
  return std::max(bytes, overhead({}, Deflated::none) + Block::smallest);
}

Archive Archive::build(const Recipe& recipe) {
  const Layout layout = lay_out(recipe.bytes, recipe.deflated);
  Random random(hash_text(recipe.name) + recipe.seed * 0x9e3779b9U + recipe.version * 0x79b97f4aU + recipe.bytes);
  const Records records = records_of(recipe);
  Archive archive;
  const std::uint64_t share = layout.blocks / layout.members;
  archive.runs_.push_back(patterns(Method::stored, layout.blocks, random, records));
  archive.runs_.push_back(
      patterns(Method::deflated, share * deflated_members(layout, recipe.deflated), random, records));
  archive.runs_.emplace_back();
  archive.runs_.back().push_back(Block::make(Method::stored, layout.odd, random, records));
  Directory directory{.members = layout.members};
  std::string headers;
  for (std::uint64_t i = 0; i < layout.members; ++i) {
    const bool last = i + 1 == layout.members;
    const Method method = is_deflated(recipe.deflated, i, layout.members) ? Method::deflated : Method::stored;
    const std::size_t run = method == Method::deflated ? 1 : 0;
    const std::uint64_t first = i * share;
    const std::uint64_t count = last ? layout.blocks - first : share;
    Member member{.name = member_name(i), .method = method, .at = archive.size_};
    checksum(member, archive.runs_[run], first, count);
    if (last) checksum(member, archive.runs_[2], layout.blocks, 1);
    if (method == Method::deflated) member.compressed += sizeof end_of_deflate;
    archive.add(local_header(member, layout.zip64));
    archive.add_blocks(run, first, count);
    if (method == Method::deflated) archive.add(std::string(end_of_deflate, sizeof end_of_deflate));
    if (last) archive.add_blocks(2, layout.blocks, 1);
    headers += central_header(member, layout.zip64);
  }
  directory.at = archive.size_;
  directory.size = headers.size();
  archive.add(headers + end_of_directory(directory, layout.zip64));
  return archive;
}

void Archive::add(std::string literal) {
  const std::uint64_t size = literal.size();
  segments_.push_back({.at = size_, .size = size, .literal = std::move(literal)});
  size_ += size;
}

void Archive::add_blocks(std::size_t run, std::uint64_t first, std::uint64_t count) {
  if (count == 0) return;
  const std::uint64_t size = count * runs_[run][0].size();
  segments_.push_back({.at = size_, .size = size, .literal = {}, .run = run, .first = first});
  size_ += size;
}

void Archive::read(std::uint64_t offset, std::span<char> out) const {
  auto segment = std::upper_bound(segments_.begin(), segments_.end(), offset,
                                  [](std::uint64_t at, const Segment& s) { return at < s.at; });
  --segment;
  while (!out.empty()) {
    const std::uint64_t inside = offset - segment->at;
    const std::size_t count = static_cast<std::size_t>(std::min<std::uint64_t>(out.size(), segment->size - inside));
    copy(*segment, inside, out.first(count));
    out = out.subspan(count);
    offset += count;
    ++segment;
  }
}

void Archive::copy(const Segment& segment, std::uint64_t offset, std::span<char> out) const {
  if (!segment.literal.empty()) {
    std::memcpy(out.data(), segment.literal.data() + offset, out.size());
    return;
  }
  const std::vector<Block>& run = runs_[segment.run];
  while (!out.empty()) {
    const std::uint64_t number = segment.first + offset / run[0].size();
    const std::size_t inside = static_cast<std::size_t>(offset % run[0].size());
    const std::size_t count = std::min(out.size(), run[0].size() - inside);
    run[number % run.size()].copy(number, inside, out.first(count));
    out = out.subspan(count);
    offset += count;
  }
}

}  // namespace vtmirror::simulator
