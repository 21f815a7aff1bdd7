// Writes ZIP files field by field: every form that a member and the end of a file may have, and forms that they may
// not.
#pragma once

#include "support/temporary_directory.hpp"
#include "support/zip_maker.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace vtmirror::test {

/// Text that deflate makes smaller, but not by much.
inline std::string lines(int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += "{\"id\": " + std::to_string(i * 7919 % 100003) + "}\n";
  return text;
}

inline std::string zip_of(const std::vector<Member>& members) {
  const TemporaryDirectory directory;
  make_zip(directory / "a.zip", members);
  return read_file(directory / "a.zip");
}

inline void flip(std::string& bytes, std::size_t at) { bytes.at(at) = static_cast<char>(bytes.at(at) ^ 0x20); }

inline std::string number(std::uint64_t value, std::size_t bytes) {
  std::string text;
  for (std::size_t i = 0; i < bytes; ++i) text += static_cast<char>((value >> (8 * i)) & 0xFFU);
  return text;
}

/// CRC-32 as the ZIP format has it, from its definition.
inline std::uint32_t crc_of(std::string_view text) {
  std::uint32_t crc = 0xFFFFFFFFU;
  for (const char c : text) {
    crc ^= static_cast<unsigned char>(c);
    for (int i = 0; i < 8; ++i) crc = (crc >> 1U) ^ ((crc & 1U) != 0 ? 0xEDB88320U : 0U);
  }
  return ~crc;
}

/// A deflate stream of the text.
inline std::string deflated(const std::string& text) {
  const TemporaryDirectory directory(TemporaryDirectory::base_in_memory());
  make_zip(directory / "a.zip", {{"a", text, ZIP_CM_DEFLATE}});
  const auto zip = read_file(directory / "a.zip");
  const auto size = static_cast<unsigned char>(zip[18]) + 256U * static_cast<unsigned char>(zip[19]) +
                    65536U * static_cast<unsigned char>(zip[20]);
  return zip.at(8) == 8 ? zip.substr(31, size) : std::string("\x03\0", 2);
}

struct RawMember {
  enum class Descriptor { none, marked, plain, marked64, plain64 };

  std::string name = "a";
  std::string text{};
  std::string packed{};  ///< the deflate stream; stored if it is empty
  Descriptor descriptor = Descriptor::none;
  bool zip64 = false;
  std::uint16_t version = 20, entry_version = 20, flags = 0, time = 0x6000, date = 0x5A6F;
  std::string extra{}, entry_extra{}, comment{};
  std::string gap{};  ///< what follows it and belongs to nothing
  std::optional<std::uint32_t> crc{};
  std::optional<std::uint64_t> size{};  ///< that it says it has
  std::uint32_t attributes = 0;
  std::optional<std::uint16_t> method{};  ///< of what is packed, if not deflate

  std::uint64_t said_size() const { return size.value_or(text.size()); }

  const std::string& contents() const { return packed.empty() ? text : packed; }
};

struct RawZip {
  std::vector<RawMember> members;
  std::string comment{};
  bool zip64 = false;  ///< its end records
  std::string before_directory{}, before_end{};
};

inline std::string common_fields(const RawMember& member, bool later, const std::string& extra) {
  const bool described = later && member.descriptor != RawMember::Descriptor::none;
  const auto flags = member.flags | (member.descriptor != RawMember::Descriptor::none ? 8U : 0U);
  const auto size = described ? 0 : member.said_size(), packed = described ? 0 : member.contents().size();
  const auto crc = described ? 0 : member.crc.value_or(crc_of(member.text));
  const auto in_zip64 = std::uint64_t{0xFFFFFFFF};
  return number(flags, 2) + number(member.packed.empty() ? 0 : member.method.value_or(8), 2) + number(member.time, 2) +
         number(member.date, 2) + number(crc, 4) + number(member.zip64 ? in_zip64 : packed, 4) +
         number(member.zip64 ? in_zip64 : size, 4) + number(member.name.size(), 2) + number(extra.size(), 2);
}

inline std::string zip64_extra(const RawMember& member, bool later) {
  if (!member.zip64) return "";
  const bool described = later && member.descriptor != RawMember::Descriptor::none;
  return number(1, 2) + number(16, 2) + number(described ? 0 : member.said_size(), 8) +
         number(described ? 0 : member.contents().size(), 8);
}

inline std::string descriptor_of(const RawMember& member) {
  using Descriptor = RawMember::Descriptor;
  if (member.descriptor == Descriptor::none) return "";
  const bool marked = member.descriptor == Descriptor::marked || member.descriptor == Descriptor::marked64;
  const bool wide = member.descriptor == Descriptor::marked64 || member.descriptor == Descriptor::plain64;
  return (marked ? "PK\x07\x08" : "") + number(crc_of(member.text), 4) +
         number(member.contents().size(), wide ? 8 : 4) + number(member.text.size(), wide ? 8 : 4);
}

inline std::string local_of(const RawMember& member) {
  const auto extra = zip64_extra(member, true) + member.extra;
  return "PK\x03\x04" + number(member.version, 2) + common_fields(member, true, extra) + member.name + extra +
         member.contents() + descriptor_of(member) + member.gap;
}

inline std::string entry_of(const RawMember& member, std::size_t offset) {
  const auto extra = zip64_extra(member, false) + member.entry_extra;
  return "PK\x01\x02" + number(20, 2) + number(member.entry_version, 2) + common_fields(member, false, extra) +
         number(member.comment.size(), 2) + number(0, 4) + number(member.attributes, 4) + number(offset, 4) +
         member.name + extra + member.comment;
}

inline std::string ends_of(const RawZip& zip, std::size_t offset, std::size_t size) {
  const auto count = zip.members.size();
  std::string end;
  if (zip.zip64) {
    end += "PK\x06\x06" + number(44, 8) + number(45, 2) + number(45, 2) + number(0, 8) + number(count, 8) +
           number(count, 8) + number(size, 8) + number(offset, 8);
    end += "PK\x06\x07" + number(0, 4) + number(offset + size, 8) + number(1, 4);
  }
  const auto old = [&](std::uint64_t value, std::size_t bytes) { return number(zip.zip64 ? ~0ULL : value, bytes); };
  return end + "PK\x05\x06" + number(0, 4) + old(count, 2) + old(count, 2) + old(size, 4) + old(offset, 4) +
         number(zip.comment.size(), 2) + zip.comment;
}

inline std::string written(const RawZip& zip) {
  std::string bytes, directory;
  for (const auto& member : zip.members) {
    directory += entry_of(member, bytes.size());
    bytes += local_of(member);
  }
  bytes += zip.before_directory;
  const auto offset = bytes.size();
  return bytes + directory + zip.before_end + ends_of(zip, offset, directory.size());
}

}  // namespace vtmirror::test
