#include "mirror/zip_records.hpp"

#include "mirror/zip_names.hpp"
#include "vtmirror/base/encoding.hpp"

#include <algorithm>
#include <cstring>

namespace vtmirror::mirror {
namespace {

using zip::in_zip64, zip::zip64_id;

constexpr std::uint16_t usual_flags = 0x080E;  // deflate options, sizes after the contents, a name in UTF-8
constexpr std::uint16_t comment_id = 0x6375;
/// Some programs use ZIP64 from 2 GiB on, instead of 4.
constexpr std::uint64_t least_large = 0x7FFFFFFF;

/// Whether a text is UTF-8 without control characters: libzip converts any other name before it compares it, or
/// refuses it.
bool is_plain(std::string_view text) {
  const bool controls =
      std::any_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 32; });
  return !controls && base::valid_utf8(text);
}

struct Extra {
  bool usual = true;
  bool has_zip64 = false;
  Bytes zip64;
};

/// Reads the extra fields. Unusual are those that would give the member another name, a second ZIP64 field, and
/// anything that is not whole.
Extra read_extra(Bytes bytes) {
  Extra extra;
  Fields fields(bytes);
  while (fields.left() >= 4) {
    const auto id = fields.u16(), size = fields.u16();
    if (size > fields.left() || id == zip::unicode_path_id || id == comment_id || (id == zip64_id && extra.has_zip64))
      return {.usual = false};
    const auto contents = fields.next(size);
    if (id != zip64_id) continue;
    extra.has_zip64 = true;
    extra.zip64 = contents;
  }
  extra.usual = fields.left() == 0;
  return extra;
}

/// Replaces each number whose value is in the ZIP64 field. False if the field does not have exactly these.
bool read_zip64(const Extra& extra, std::initializer_list<std::uint64_t*> numbers) {
  const auto wanted = std::count_if(numbers.begin(), numbers.end(), [](auto* each) { return *each == in_zip64; });
  if (wanted == 0) return true;
  if (extra.zip64.size() != static_cast<std::size_t>(wanted) * 8) return false;
  Fields fields(extra.zip64);
  for (auto* each : numbers)
    if (*each == in_zip64) *each = fields.u64();
  return true;
}

bool is_usual(const ZipMember& member) {
  if ((member.flags & ~usual_flags) != 0 || member.name.empty() || !is_plain(member.name)) return false;
  if (!danger_of(member).empty()) return false;
  return member.method == zip::deflated || (member.method == zip::stored && !member.described_later());
}

}  // namespace

Bytes Fields::next(std::size_t count) {
  const auto taken = bytes_.first(count);
  bytes_ = bytes_.subspan(count);
  return taken;
}

std::uint64_t Fields::number(std::size_t count) {
  std::uint64_t value = 0;
  const auto taken = next(count);
  for (std::size_t i = count; i-- > 0;) value = value << 8U | std::to_integer<std::uint64_t>(taken[i]);
  return value;
}

std::string_view text_of(Bytes bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

TextLengths take_numbers(Fields& fields, ZipMember& member) {
  member.version = fields.u16();
  member.flags = fields.u16();
  member.method = fields.u16();
  member.time = fields.u16();
  member.date = fields.u16();
  member.crc = fields.u32();
  member.packed = fields.u32();
  member.size = fields.u32();
  const std::size_t name = fields.u16(), extra = fields.u16();
  return {.name = name, .extra = extra};
}

std::uint32_t mark_of(Bytes bytes) { return Fields(bytes).u32(); }

std::size_t local_length(Bytes fixed) {
  Fields fields(fixed.subspan(26));
  const std::size_t name = fields.u16(), extra = fields.u16();
  return zip::local_size + name + extra;
}

std::size_t entry_length(Bytes fixed) {
  Fields fields(fixed.subspan(28));
  const std::size_t name = fields.u16(), extra = fields.u16(), comment = fields.u16();
  return zip::entry_size + name + extra + comment;
}

std::optional<ZipMember> read_local(Bytes header) {
  Fields fields(header.subspan(zip::mark_size));
  ZipMember member;
  const TextLengths lengths = take_numbers(fields, member);
  member.name = text_of(fields.next(lengths.name));
  const Extra extra = read_extra(fields.next(lengths.extra));
  // A local header has both sizes in ZIP64, or none.
  const bool both = (member.packed == in_zip64) == (member.size == in_zip64);
  if (!extra.usual || !both || !read_zip64(extra, {&member.size, &member.packed}) || !is_usual(member))
    return std::nullopt;
  const bool nothing = member.crc == 0 && member.packed == 0 && member.size == 0;
  if (member.described_later() && !nothing) return std::nullopt;
  return member;
}

std::optional<ZipMember> read_entry(Bytes entry) {
  Fields fields(entry.subspan(zip::mark_size + 2));  // the mark, and the version of the program that made it
  ZipMember member;
  const TextLengths lengths = take_numbers(fields, member);
  const std::size_t comment = fields.u16();
  const auto disk = fields.u16();
  fields.next(2);  // whether it is text
  member.attributes = fields.u32();
  member.offset = fields.u32();
  member.name = text_of(fields.next(lengths.name));
  const Extra extra = read_extra(fields.next(lengths.extra));
  const bool plain = is_plain(text_of(fields.next(comment)));
  if (disk != 0 || !extra.usual || !plain) return std::nullopt;
  if (!read_zip64(extra, {&member.size, &member.packed, &member.offset}) || !is_usual(member)) return std::nullopt;
  return member;
}

void MemberDigest::add(const ZipMember& member) {
  const std::array<std::uint64_t, 9> numbers{member.offset, member.flags, member.method,
                                             member.time,   member.date,  member.crc,
                                             member.packed, member.size,  member.name.size()};
  sha256_.add(std::as_bytes(std::span(numbers)));
  sha256_.add(std::as_bytes(std::span(member.name.data(), member.name.size())));
}

void VersionFloors::add(const ZipMember& local) {
  auto& floor = floors_[kind(local)];
  floor = std::max(floor, local.version);
}

bool VersionFloors::allow(const ZipMember& entry) const { return entry.version >= floors_[kind(entry)]; }

std::size_t VersionFloors::kind(const ZipMember& member) {
  const bool large = member.size >= least_large || member.packed >= least_large;
  return (member.method == zip::deflated ? 1U : 0U) | (member.described_later() ? 2U : 0U) |
         (member.name.ends_with('/') ? 4U : 0U) | (large ? 8U : 0U);
}

}  // namespace vtmirror::mirror
