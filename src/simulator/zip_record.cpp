#include "simulator/zip_record.hpp"

#include <limits>

namespace vtmirror::simulator {
namespace {

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
  std::string take() { return std::move(bytes_); }

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

}  // namespace

std::string local_header(const Member& member, bool zip64) {
  Record record;
  record.u32(0x04034b50);
  put_body(record, member, zip64);
  record.u16(zip64 ? 20 : 0).text(member.name);
  if (zip64) record.u16(1).u16(16).u64(member.plain).u64(member.compressed);
  return record.take();
}

std::string central_header(const Member& member, bool zip64) {
  Record record;
  record.u32(0x02014b50).u16(zip64 ? 45 : 20);
  put_body(record, member, zip64);
  record.u16(zip64 ? 28 : 0).u16(0).u16(0).u16(0).u32(0).u32(zip64 ? in_zip64 : member.at).text(member.name);
  if (zip64) record.u16(1).u16(24).u64(member.plain).u64(member.compressed).u64(member.at);
  return record.take();
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
  return record.take();
}

}  // namespace vtmirror::simulator
