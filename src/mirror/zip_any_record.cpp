#include "mirror/zip_any_record.hpp"

#include "mirror/zip_names.hpp"

#include <algorithm>

namespace vtmirror::mirror {
namespace {

using zip::in_zip64;

constexpr std::uint16_t encrypted = 1, patched = 0x20, strongly_encrypted = 0x40, masked = 0x2000, aes = 99;

/// The contents of the field with that id among the extra fields; empty if there is none.
Bytes field_of(Bytes extra, std::uint16_t wanted) {
  Fields fields(extra);
  while (fields.left() >= 4) {
    const auto id = fields.u16();
    const std::size_t size = fields.u16();
    if (size > fields.left()) return {};
    const auto contents = fields.next(size);
    if (id == wanted) return contents;
  }
  return {};
}

/// Sizes first, then the offset: a number that does not fit is in the ZIP64 field, in this order.
void read_zip64(AnyRecord& record, Bytes extra, bool local) {
  auto& member = record.member;
  Fields fields(field_of(extra, zip::zip64_id));
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

bool is_ascii(std::string_view text) {
  return std::ranges::all_of(text, [](unsigned char c) { return c < 0x80; });
}

/// A name in another encoding may stand in Unicode beside it. One in ASCII is the same in both.
std::string_view objection_to_names(const AnyRecord& record) {
  const auto& name = record.member.name;
  if (const auto why = danger_of(record.member); !why.empty()) return why;
  if (record.unicode_name.empty() || record.unicode_name == name) return {};
  if (is_ascii(name) || is_ascii(record.unicode_name))
    return "it has a second name in its Unicode path field, so programs unpack it under different names";
  auto renamed = record.member;
  renamed.name = record.unicode_name;
  return danger_of(renamed);
}

}  // namespace

AnyRecord read_any_record(Bytes bytes, bool local) {
  AnyRecord record;
  auto& member = record.member;
  Fields fields(bytes.subspan(zip::mark_size + (local ? 0 : 2)));
  const TextLengths lengths = take_numbers(fields, member);
  if (!local) {
    fields.next(2);
    record.disk = fields.u16();
    fields.next(2);
    member.attributes = fields.u32();
    member.offset = fields.u32();
  }
  member.name = text_of(fields.next(lengths.name));
  const auto extras = fields.next(lengths.extra);
  read_zip64(record, extras, local);
  // Behind its version and a checksum of the other name.
  if (const auto path = field_of(extras, zip::unicode_path_id); path.size() > 5)
    record.unicode_name = text_of(path.subspan(5));
  return record;
}

std::string_view objection_to(const AnyRecord& record) {
  const auto& member = record.member;
  if (record.disk != 0) return "it is on another part of a ZIP that was split";
  if (!record.whole) return "its sizes should be in a ZIP64 field that does not have them";
  if ((member.flags & (encrypted | strongly_encrypted | masked)) != 0 || member.method == aes) return "it is encrypted";
  if ((member.flags & patched) != 0) return "it is a patch of another file";
  return objection_to_names(record);
}

std::string_view contradiction(const AnyRecord& local, const ZipMember& entry) {
  const auto& member = local.member;
  if (member.name != entry.name) return "its local header has another name than the central directory";
  if (member.method != entry.method || ((member.flags ^ entry.flags) & (encrypted | 8U)) != 0)
    return "its local header has another compression method or other flags than the central directory";
  if (!local.whole) return "its sizes should be in a ZIP64 field that does not have them";
  if (const auto why = objection_to_names(local); !why.empty()) return why;
  const bool later = member.described_later();
  const auto differs = [later](std::uint64_t here, std::uint64_t there) {
    return here != there && !(later && (here == 0 || here == in_zip64));
  };
  if (differs(member.crc, entry.crc)) return "its local header has another checksum than the central directory";
  if (differs(member.size, entry.size) || differs(member.packed, entry.packed))
    return "its local header has another size than the central directory";
  return {};
}

}  // namespace vtmirror::mirror
