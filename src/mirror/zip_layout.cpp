#include "mirror/zip_layout.hpp"

#include "mirror/zip_any_record.hpp"
#include "mirror/zip_names.hpp"
#include "vtmirror/base/text.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string>

namespace vtmirror::mirror {
namespace {

/// What `zip::local_mark` is in a file.
constexpr std::array local_begin{std::byte{'P'}, std::byte{'K'}, std::byte{3}, std::byte{4}};
constexpr std::uint64_t gap_block = std::uint64_t{64} << 10;

/// Reading a header is as much work as hashing this number of bytes.
constexpr std::int64_t work_for_a_member = 4096;

class LayoutReader {
 public:
  LayoutReader(const ZipFile& zip, const ZipEnd& end, const LayoutLimits& limits, Tally& tally)
      : zip_(zip), end_(end), limits_(limits), tally_(tally) {}

  base::Result<ZipLayout> read() {
    if (auto read = read_directory(); !read) return read.error();
    if (const auto there = end_.at - end_.directory - end_.directory_size; there > 0)
      return damage(std::to_string(there) +
                    " bytes stand between its central directory and its end record, where programs look for the "
                    "directory");
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
    if (auto whole = read_at(zip_, end_.directory, layout_.directory); !whole) return whole;
    const auto read = static_cast<std::int64_t>(end_.directory_size);
    if (!tally_.add(read, read)) return cancelled(zip_.name);
    return read_entries();
  }

  base::Result<void> read_entries() {
    layout_.entries.reserve(static_cast<std::size_t>(end_.members));
    for (Bytes rest = layout_.directory; !rest.empty();) {
      const bool begins = rest.size() >= zip::entry_size && mark_of(rest) == zip::entry_mark;
      if (!begins || layout_.entries.size() == end_.members) return check_count(rest);
      const auto length = entry_length(rest);
      if (length > rest.size()) return damage("an entry of its central directory is longer than the directory");
      const auto record = read_any_record(rest.first(length), false);
      rest = rest.subspan(length);
      if (const auto why = objection_to(record); !why.empty()) return member_damage(zip_.name, record.member.name, why);
      layout_.entries.push_back({.member = record.member});
    }
    return check_count({});
  }

  /// Some programs read as many entries as the end record counts, others all that are in the directory's size.
  base::Result<void> check_count(Bytes rest) const {
    if (layout_.entries.size() == end_.members && rest.empty()) return {};
    if (layout_.entries.size() == end_.members && rest.size() >= zip::mark_size && mark_of(rest) == zip::entry_mark)
      return damage("its central directory has more members than its end of central directory record counts");
    if (layout_.entries.size() == end_.members)
      return damage(base::counted(std::ssize(rest), "byte") +
                    " of its central directory follow the entry of its last member");
    if (layout_.entries.empty()) return damage("there is no central directory at the offset that its end record gives");
    return damage("its end of central directory record counts " + std::to_string(end_.members) +
                  " members, and its central directory has " + std::to_string(layout_.entries.size()));
  }

  /// The comparison of very many long names takes seconds: an exception is the only way out of a sort.
  base::Result<void> check_names() {
    struct Stopped {};
    std::vector<const ZipMember*> members;
    members.reserve(layout_.entries.size());
    for (const auto& entry : layout_.entries) members.push_back(&entry.member);
    const auto comes_first = [this](const ZipMember* a, const ZipMember* b) {
      if (!tally_.add(0, std::ssize(a->name) + std::ssize(b->name))) throw Stopped();
      return lies_before(*a, *b);
    };
    try {
      std::sort(members.begin(), members.end(), comes_first);
    } catch (const Stopped&) {
      return cancelled(zip_.name);
    }
    for (std::size_t i = 1; i < members.size(); ++i)
      if (const auto why = collision(*members[i - 1], *members[i]); !why.empty())
        return member_damage(zip_.name, members[i]->name, why);
    return {};
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
    if (const auto why = contradiction(read_any_record(header, true), member); !why.empty()) return damage(entry, why);
    entry.data = member.offset + length;
    if (member.packed > end_.directory - entry.data)
      return damage(entry, "its contents reach into the central directory");
    entry.end = entry.data + member.packed;
    return read_descriptor(entry);
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

  /// Programs that read a ZIP from a pipe look for the next member there, byte by byte.
  base::Result<void> check_gap(std::uint64_t from, std::uint64_t to) const {
    if (to - from < zip::mark_size) return {};
    std::vector<std::byte> block(static_cast<std::size_t>(std::min(to - from, gap_block)));
    for (auto at = from; to - at >= zip::mark_size;) {
      const auto part = std::span(block).first(static_cast<std::size_t>(std::min(to - at, gap_block)));
      if (auto whole = read_at(zip_, at, part); !whole) return whole;
      const auto found = std::search(part.begin(), part.end(), local_begin.begin(), local_begin.end());
      if (found != part.end())
        return damage("at byte " + std::to_string(at + static_cast<std::uint64_t>(found - part.begin())) +
                      " there is a member that the central directory does not list");
      const auto passed = part.size() - (zip::mark_size - 1);
      at += passed;
      const auto read = static_cast<std::int64_t>(passed);
      if (!tally_.add(read, read)) return cancelled(zip_.name);
    }
    return {};
  }

  const ZipFile& zip_;
  const ZipEnd& end_;
  const LayoutLimits& limits_;
  Tally& tally_;
  ZipLayout layout_;
};

}  // namespace

std::string member_label(std::string_view member) {
  return "member " + (member.empty() ? std::string("without a name") : base::printable(member, 120));
}

std::string member_label(const std::string& name, std::string_view member) {
  return name + ": " + member_label(member);
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
