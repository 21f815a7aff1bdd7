#include "mirror/zip_layout.hpp"

#include "vtmirror/base/text.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string>

namespace vtmirror::mirror {
namespace {

constexpr std::uint64_t in_zip64 = 0xFFFFFFFF;
constexpr std::uint16_t zip64_id = 1, encrypted = 1, patched = 0x20, strongly_encrypted = 0x40, masked = 0x2000,
                        aes = 99;

/// Reading a header is as much work as hashing this number of bytes.
constexpr std::int64_t work_for_a_member = 4096;

/// The contents of the ZIP64 field among the extra fields; empty if there is none.
Bytes zip64_field(Bytes extra) {
  Fields fields(extra);
  while (fields.left() >= 4) {
    const auto id = fields.u16();
    const std::size_t size = fields.u16();
    if (size > fields.left()) return {};
    const auto contents = fields.next(size);
    if (id == zip64_id) return contents;
  }
  return {};
}

/// A record of a member, local or of the directory, whatever is unusual about it.
struct Record {
  ZipMember member;
  std::uint32_t disk = 0;
  bool whole = true;  ///< false: a number is in a ZIP64 field that does not have it
};

std::string_view text_of(Bytes bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

/// Sizes first, then the offset: a number that does not fit is in the ZIP64 field, in this order.
void read_zip64(Record& record, Bytes extra, bool local) {
  auto& member = record.member;
  Fields fields(zip64_field(extra));
  const auto replace = [&](std::uint64_t& number) {
    if (number != in_zip64) return;
    if (fields.left() < 8)
      record.whole = false;
    else
      number = fields.u64();
  };
  replace(member.size);
  replace(member.packed);
  if (!local) replace(member.offset);
}

Record read_record(Bytes bytes, bool local) {
  Record record;
  auto& member = record.member;
  Fields fields(bytes.subspan(zip::mark_size + (local ? 0 : 2)));
  member.version = fields.u16();
  member.flags = fields.u16();
  member.method = fields.u16();
  member.time = fields.u16();
  member.date = fields.u16();
  member.crc = fields.u32();
  member.packed = fields.u32();
  member.size = fields.u32();
  const std::size_t name = fields.u16(), extra = fields.u16();
  if (!local) {
    fields.next(2);
    record.disk = fields.u16();
    fields.next(6);
    member.offset = fields.u32();
  }
  member.name = text_of(fields.next(name));
  read_zip64(record, fields.next(extra), local);
  return record;
}

std::string_view objection(const Record& record) {
  const auto& member = record.member;
  if (record.disk != 0) return "it is on another part of a ZIP that was split";
  if (!record.whole) return "its sizes should be in a ZIP64 field that does not have them";
  if ((member.flags & (encrypted | strongly_encrypted | masked)) != 0 || member.method == aes) return "it is encrypted";
  if ((member.flags & patched) != 0) return "it is a patch of another file";
  return danger_of(member.name);
}

class LayoutReader {
 public:
  LayoutReader(const ZipFile& zip, const ZipEnd& end, const LayoutLimits& limits, Tally& tally)
      : zip_(zip), end_(end), limits_(limits), tally_(tally) {}

  base::Result<ZipLayout> read() {
    if (auto read = read_directory(); !read) return read.error();
    if (auto unique = check_names(); !unique) return unique.error();
    for (auto& entry : layout_.entries) {
      if (auto read = read_local(entry); !read) return read.error();
      if (!tally_.add(0, work_for_a_member)) return cancelled(zip_.name);
    }
    if (auto apart = check_places(); !apart) return apart.error();
    return std::move(layout_);
  }

 private:
  base::Error damage(std::string_view what) const { return zip_damage(zip_.name, what); }
  base::Error damage(const ZipEntry& entry, std::string_view what) const {
    return member_damage(zip_.name, entry.member.name, what);
  }

  base::Result<void> read_directory() {
    if (end_.members > limits_.members)
      return damage("it has " + std::to_string(end_.members) +
                    " members and something unusual in its records: of such" + " a ZIP, no more than " +
                    std::to_string(limits_.members) + " members are checked");
    if (end_.directory_size > limits_.directory)
      return damage("its central directory is implausibly large: " + std::to_string(end_.directory_size) + " bytes");
    if (end_.members * zip::entry_size > end_.directory_size)
      return damage("its end of central directory record counts more members than fit into its central directory");
    layout_.directory.resize(static_cast<std::size_t>(end_.directory_size));
    if (auto read = read_at(zip_, end_.directory, layout_.directory); !read) return read;
    if (!tally_.add(0, static_cast<std::int64_t>(end_.directory_size))) return cancelled(zip_.name);
    return read_entries();
  }

  base::Result<void> read_entries() {
    layout_.entries.reserve(static_cast<std::size_t>(end_.members));
    for (Bytes rest = layout_.directory; !rest.empty();) {
      const bool begins = rest.size() >= zip::entry_size && mark_of(rest) == zip::entry_mark;
      if (!begins || layout_.entries.size() == end_.members) break;
      const auto length = entry_length(rest);
      if (length > rest.size()) return damage("an entry of its central directory is longer than the directory");
      const auto record = read_record(rest.first(length), false);
      rest = rest.subspan(length);
      if (const auto why = objection(record); !why.empty()) return member_damage(zip_.name, record.member.name, why);
      layout_.entries.push_back({.member = record.member});
    }
    if (layout_.entries.size() == end_.members) return {};
    if (layout_.entries.empty()) return damage("there is no central directory at the offset that its end record gives");
    return damage("its end of central directory record counts " + std::to_string(end_.members) +
                  " members, and its central directory has " + std::to_string(layout_.entries.size()));
  }

  base::Result<void> check_names() const {
    std::vector<std::string_view> names;
    names.reserve(layout_.entries.size());
    for (const auto& entry : layout_.entries) names.push_back(entry.member.name);
    std::sort(names.begin(), names.end());
    const auto twice = std::adjacent_find(names.begin(), names.end());
    if (twice == names.end()) return {};
    return member_damage(zip_.name, *twice, "two members have this name, and unpacked one would replace the other");
  }

  base::Result<void> read_local(ZipEntry& entry) const {
    const auto& member = entry.member;
    if (member.offset > end_.directory || end_.directory - member.offset < zip::local_size)
      return damage(entry, "the central directory says that it begins behind the last member");
    std::array<std::byte, zip::local_size> fixed;
    if (auto read = read_at(zip_, member.offset, fixed); !read) return read;
    if (mark_of(fixed) != zip::local_mark)
      return damage(entry, "there is no member at the offset that the central directory gives, byte " +
                               std::to_string(member.offset));
    const auto length = local_length(fixed);
    if (length > end_.directory - member.offset)
      return damage(entry, "its local header reaches into the central directory");
    std::vector<std::byte> header(length);
    if (auto read = read_at(zip_, member.offset, header); !read) return read;
    if (const auto why = contradiction(read_record(header, true), member); !why.empty()) return damage(entry, why);
    entry.data = member.offset + length;
    if (member.packed > end_.directory - entry.data)
      return damage(entry, "its contents reach into the central directory");
    entry.end = entry.data + member.packed;
    return read_descriptor(entry);
  }

  /// How the local header contradicts the entry. One with a descriptor may leave the numbers out.
  static std::string_view contradiction(const Record& local, const ZipMember& entry) {
    const auto& member = local.member;
    if (member.name != entry.name) return "its local header has another name than the central directory";
    if (member.method != entry.method || ((member.flags ^ entry.flags) & (encrypted | 8U)) != 0)
      return "its local header has another compression method or other flags than the central directory";
    if (!local.whole) return "its sizes should be in a ZIP64 field that does not have them";
    const bool later = member.described_later();
    const auto differs = [later](std::uint64_t here, std::uint64_t there) {
      return here != there && !(later && (here == 0 || here == in_zip64));
    };
    if (differs(member.crc, entry.crc)) return "its local header has another checksum than the central directory";
    if (differs(member.size, entry.size) || differs(member.packed, entry.packed))
      return "its local header has another size than the central directory";
    return {};
  }

  /// It may have a mark or not, and sizes of 32 or of 64 bits: the first form that is right counts.
  base::Result<void> read_descriptor(ZipEntry& entry) const {
    const auto& member = entry.member;
    if (!member.described_later()) return {};
    std::array<std::byte, 24> bytes{};
    const auto room = static_cast<std::size_t>(std::min<std::uint64_t>(bytes.size(), end_.directory - entry.end));
    if (auto read = read_at(zip_, entry.end, std::span(bytes).first(room)); !read) return read;
    for (const std::size_t width : {8U, 4U}) {
      for (const bool marked : {true, false}) {
        const auto length = (marked ? 8 : 4) + 2 * width;
        Fields fields(bytes);
        const auto size = [&] { return width == 4 ? fields.u32() : fields.u64(); };
        if (length > room || (marked && fields.u32() != zip::descriptor_mark)) continue;
        if (fields.u32() != member.crc || size() != member.packed || size() != member.size) continue;
        entry.end += length;
        return {};
      }
    }
    return damage(entry, "the data descriptor behind its contents disagrees with the central directory");
  }

  /// Whether the members lie one behind the other, in any order, and none lies where no entry shows it.
  base::Result<void> check_places() const {
    std::vector<const ZipEntry*> places;
    places.reserve(layout_.entries.size());
    for (const auto& entry : layout_.entries) places.push_back(&entry);
    std::sort(places.begin(), places.end(),
              [](const auto* a, const auto* b) { return a->member.offset < b->member.offset; });
    std::uint64_t at = 0;
    for (const auto* entry : places) {
      if (entry->member.offset < at)
        return damage(*entry, "it begins inside of another member, or is the same one a second time");
      if (auto seen = check_gap(at, entry->member.offset); !seen) return seen;
      at = entry->end;
    }
    return check_gap(at, end_.directory);
  }

  /// Programs that read a ZIP from a pipe would find a member there.
  base::Result<void> check_gap(std::uint64_t from, std::uint64_t to) const {
    std::array<std::byte, zip::mark_size> mark{};
    if (to - from < zip::local_size) return {};
    if (auto read = read_at(zip_, from, mark); !read) return read;
    if (mark_of(mark) != zip::local_mark) return {};
    return damage("at byte " + std::to_string(from) + " there is a member that the central directory does not list");
  }

  const ZipFile& zip_;
  const ZipEnd& end_;
  const LayoutLimits& limits_;
  Tally& tally_;
  ZipLayout layout_;
};

}  // namespace

std::string member_label(const std::string& name, std::string_view member) {
  return name + ": member " + (member.empty() ? std::string("without a name") : base::printable(member, 120));
}

base::Error member_damage(const std::string& name, std::string_view member, std::string_view what) {
  return zip_damage(member_label(name, member), what);
}

base::Result<ZipLayout> read_layout(const ZipFile& zip, const LayoutLimits& limits, Tally& tally) {
  const auto end = find_zip_end(zip);
  if (!end) return end.error();
  return LayoutReader(zip, *end, limits, tally).read();
}

}  // namespace vtmirror::mirror
