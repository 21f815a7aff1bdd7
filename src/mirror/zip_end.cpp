#include "mirror/tree.hpp"
#include "mirror/zip_layout.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <optional>

namespace vtmirror::mirror {
namespace {

/// A number of two bytes that says: ZIP64 has it. One of four bytes is `zip::in_zip64`.
constexpr std::uint64_t in_zip64_16 = 0xFFFF;

/// What stands in an end record, and the bytes of the file in front of it.
struct Tail {
  std::vector<std::byte> bytes;
  std::uint64_t at = 0;  ///< where they begin
  Bytes from(std::size_t place) const { return Bytes(bytes).subspan(place); }
};

bool is_end_to_the_last_byte(Bytes record) {
  if (record.size() < zip::end_size || mark_of(record) != zip::end_mark) return false;
  return Fields(record.subspan(20)).u16() == record.size() - zip::end_size;
}

/// Programs look for the last mark of an end record, or for one whose comment reaches the end of the file. Empty if
/// there is none.
base::Result<std::optional<std::size_t>> place_of_end(const ZipFile& zip, const Tail& tail) {
  std::optional<std::size_t> last;
  int whole = 0;
  for (std::size_t place = 0; place + zip::mark_size <= tail.bytes.size(); ++place) {
    if (tail.bytes[place] != std::byte{'P'} || mark_of(tail.from(place)) != zip::end_mark) continue;
    last = place;
    if (is_end_to_the_last_byte(tail.from(place))) ++whole;
  }
  if (!last) return last;
  if (whole > 1 || (whole == 1 && !is_end_to_the_last_byte(tail.from(*last))))
    return zip_damage(
        zip.name,
        "its comment contains a second end of central directory record, so programs read different members from it");
  if (whole == 1) return last;
  if (tail.bytes.size() - *last < zip::end_size)
    return zip_damage(zip.name, "it is truncated: its end of central directory record is incomplete");
  const auto comment = Fields(tail.from(*last + 20)).u16();
  const auto there = tail.bytes.size() - *last - zip::end_size;
  return zip_damage(zip.name, there > comment ? std::to_string(there - comment) + " bytes follow the end of the ZIP"
                                              : std::string("it is truncated: its comment is incomplete"));
}

/// Of a file that has no end record.
base::Error no_zip(const ZipFile& zip) {
  std::byte head[512]{};
  const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(zip.size, sizeof head));
  if (const auto read = read_at(zip, 0, std::span(head).first(count)); !read) return read.error();
  if (count == 0) return zip_damage(zip.name, "it is empty");
  if (count >= zip::mark_size && mark_of(head) == zip::local_mark)
    return zip_damage(zip.name, "it is truncated: its central directory is missing");
  const std::string_view text(reinterpret_cast<const char*>(head), count);
  const auto first = text.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
  if (first != std::string_view::npos && text[first] == '<')
    return zip_damage(zip.name, "it is a page of HTML or XML and no ZIP: a proxy, a login page or an error answered");
  return zip_damage(zip.name, "it is not a ZIP: it has no end of central directory record");
}

struct OldEnd {
  std::uint64_t disk, directory_disk, here, members, size, offset;
  bool wants_zip64() const {
    return here == in_zip64_16 || members == in_zip64_16 || size == zip::in_zip64 || offset == zip::in_zip64;
  }
};

OldEnd read_old_end(Bytes record) {
  Fields fields(record.subspan(zip::mark_size));
  OldEnd end{};
  end.disk = fields.u16();
  end.directory_disk = fields.u16();
  end.here = fields.u16();
  end.members = fields.u16();
  end.size = fields.u32();
  end.offset = fields.u32();
  return end;
}

bool agrees(std::uint64_t old, std::uint64_t saturated, std::uint64_t value) {
  return old == value || old == saturated;
}

base::Result<ZipEnd> read_zip64_end(const ZipFile& zip, const OldEnd& old, Bytes locator, std::uint64_t at) {
  Fields found(locator.subspan(zip::mark_size));
  const auto disk = found.u32();
  const auto place = found.u64();
  const auto wrong = [&](std::string_view what) { return zip_damage(zip.name, what); };
  if (disk != 0 || found.u32() > 1) return wrong("it is a part of a ZIP that was split");
  if (at < zip::end64_size || place > at - zip::end64_size)
    return wrong("its ZIP64 locator leads to a place that is not before it");
  std::byte record[zip::end64_size];
  if (auto read = read_at(zip, place, record); !read) return read.error();
  Fields fields(record);
  if (fields.u32() != zip::end64_mark)
    return wrong("its ZIP64 locator does not lead to a ZIP64 end of central directory record");
  const auto length = fields.u64();
  // Some programs follow the locator, others read what is directly in front of it.
  if (length != zip::end64_size - 12 || place + zip::end64_size != at)
    return wrong("its ZIP64 end of central directory record does not end where its locator begins");
  fields.next(4);  // versions
  if (fields.u64() != 0) return wrong("it is a part of a ZIP that was split");
  ZipEnd end{.at = place};
  const auto here = fields.u64();
  end.members = fields.u64();
  end.directory_size = fields.u64();
  end.directory = fields.u64();
  const bool same = here == end.members && agrees(old.members, in_zip64_16, end.members) &&
                    agrees(old.here, in_zip64_16, end.members) && agrees(old.size, zip::in_zip64, end.directory_size) &&
                    agrees(old.offset, zip::in_zip64, end.directory);
  if (!same) return wrong("its end of central directory records, of ZIP and of ZIP64, disagree");
  return end;
}

base::Result<ZipEnd> read_end(const ZipFile& zip, const Tail& tail, std::size_t place) {
  const auto old = read_old_end(tail.from(place));
  const auto at = tail.at + place;
  if (place >= zip::locator_size && mark_of(tail.from(place - zip::locator_size)) == zip::locator_mark)
    return read_zip64_end(zip, old, tail.from(place - zip::locator_size), at - zip::locator_size);
  if (old.disk != 0 || old.directory_disk != 0 || old.here != old.members)
    return zip_damage(zip.name, "its end of central directory record belongs to a split ZIP, or is wrong");
  if (old.size == zip::in_zip64 || old.offset == zip::in_zip64)
    return zip_damage(zip.name, "its end of central directory record refers to ZIP64, but there is no ZIP64 record");
  return ZipEnd{.members = old.members, .directory = old.offset, .directory_size = old.size, .at = at};
}

}  // namespace

base::Result<ZipFile> zip_file(const base::Descriptor& file, const std::string& name) {
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) return failure(errno, name, "read");
  return ZipFile{file, name, static_cast<std::uint64_t>(status.st_size)};
}

base::Result<void> read_at(const ZipFile& zip, std::uint64_t offset, std::span<std::byte> bytes) {
  while (!bytes.empty()) {
    const auto at = static_cast<off_t>(offset);
    const auto got = base::uninterrupted([&] { return ::pread(zip.file.get(), bytes.data(), bytes.size(), at); });
    if (got <= 0) return failure(got < 0 ? errno : ENODATA, zip.name, "read at " + std::to_string(offset));
    offset += static_cast<std::uint64_t>(got);
    bytes = bytes.subspan(static_cast<std::size_t>(got));
  }
  return {};
}

base::Result<ZipEnd> find_zip_end(const ZipFile& zip) {
  const auto searched = std::min<std::uint64_t>(zip.size, zip::longest_text + zip::end_size + zip::locator_size);
  Tail tail{.bytes = std::vector<std::byte>(static_cast<std::size_t>(searched)), .at = zip.size - searched};
  if (auto read = read_at(zip, tail.at, tail.bytes); !read) return read.error();
  const auto place = place_of_end(zip, tail);
  if (!place) return place.error();
  if (!*place) return no_zip(zip);
  auto end = read_end(zip, tail, **place);
  if (!end) return end;
  if (end->directory > end->at || end->directory_size > end->at - end->directory)
    return zip_damage(zip.name,
                      "its end of central directory record places the central directory beyond the end, or gives it an "
                      "impossible size");
  if (end->members == 0) return zip_damage(zip.name, "the ZIP is empty");
  return end;
}

base::Error zip_damage(const std::string& name, std::string_view what) {
  return {.code = base::Errc::integrity, .detail = name + ": " + std::string(what), .why = std::string(what)};
}

}  // namespace vtmirror::mirror
