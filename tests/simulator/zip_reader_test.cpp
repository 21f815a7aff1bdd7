#include "simulator/zip_reader.hpp"

#include <doctest/doctest.h>
#include <zlib.h>

#include <algorithm>
#include <stdexcept>

namespace vtmirror::simulator {
namespace {

void demand(bool holds, const char* what) {
  if (!holds) throw std::runtime_error(what);
}

std::uint64_t number(const std::string& bytes, std::uint64_t at, int size) {
  demand(at + static_cast<std::uint64_t>(size) <= bytes.size(), "a record reaches past the end");
  std::uint64_t value = 0;
  for (int i = size; i-- > 0;)
    value = value << 8U | static_cast<unsigned char>(bytes[at + static_cast<std::uint64_t>(i)]);
  return value;
}

std::string inflate_all(const std::string& bytes, int window, bool many) {
  z_stream stream{};
  demand(inflateInit2(&stream, window) == Z_OK, "no memory");
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  std::string plain;
  std::string buffer(65'536, '\0');
  bool ended = false;
  while (!ended) {
    stream.next_out = reinterpret_cast<Bytef*>(buffer.data());
    stream.avail_out = static_cast<uInt>(buffer.size());
    const int status = inflate(&stream, Z_NO_FLUSH);
    plain.append(buffer, 0, buffer.size() - stream.avail_out);
    if (status != Z_OK && status != Z_STREAM_END) break;
    if (status == Z_STREAM_END) ended = !many || stream.avail_in == 0 || inflateReset(&stream) != Z_OK;
  }
  const bool used_up = stream.avail_in == 0;
  inflateEnd(&stream);
  demand(ended && used_up, "a deflate stream is damaged, or has something behind it");
  return plain;
}

struct End {
  std::uint64_t members = 0;
  std::uint64_t size = 0;
  std::uint64_t at = 0;
  std::uint64_t begins = 0;  // where the end records begin, which is where the directory ends
};

End find_end(const std::string& bytes) {
  const std::uint64_t at = bytes.size() - 22;
  demand(number(bytes, at, 4) == 0x06054b50 && number(bytes, at + 20, 2) == 0, "no end record");
  End end{number(bytes, at + 10, 2), number(bytes, at + 12, 4), number(bytes, at + 16, 4), at};
  if (end.at != 0xffffffff) return end;
  demand(number(bytes, at - 20, 4) == 0x07064b50, "no ZIP64 locator");
  const std::uint64_t big = number(bytes, at - 12, 8);
  demand(number(bytes, big, 4) == 0x06064b50, "no ZIP64 end record");
  return {number(bytes, big + 32, 8), number(bytes, big + 40, 8), number(bytes, big + 48, 8), big};
}

ReadMember read_member(const std::string& bytes, std::uint64_t entry, std::uint64_t& data_end) {
  const std::uint64_t name_size = number(bytes, entry + 28, 2);
  const std::uint64_t local = number(bytes, entry + 42, 4);
  demand(number(bytes, entry, 4) == 0x02014b50 && number(bytes, local, 4) == 0x04034b50,
         "no header where one should be");
  demand(local == data_end, "a member does not follow the one before it");
  demand(bytes.compare(entry + 10, 20, bytes, local + 8, 20) == 0, "local and central header differ");
  ReadMember member{.name = bytes.substr(entry + 46, name_size),
                    .method = static_cast<int>(number(bytes, entry + 10, 2))};
  demand(bytes.substr(local + 30, name_size) == member.name, "local and central name differ");
  member.compressed = number(bytes, entry + 20, 4);
  const std::uint64_t at = local + 30 + name_size + number(bytes, local + 28, 2);
  data_end = at + member.compressed;
  const std::string data = bytes.substr(at, member.compressed);
  member.plain = member.method == 0 ? data : inflate_all(data, -15, false);
  demand(member.plain.size() == number(bytes, entry + 24, 4), "a member's size is wrong");
  const auto crc = crc32_z(0, reinterpret_cast<const Bytef*>(member.plain.data()), member.plain.size());
  demand(crc == number(bytes, entry + 16, 4), "a member's checksum is wrong");
  return member;
}

}  // namespace

std::string bytes_of(const Archive& archive, std::size_t piece) {
  std::string bytes(static_cast<std::size_t>(archive.size()), '\0');
  for (std::size_t at = 0; at < bytes.size(); at += piece) {
    archive.read(at, {bytes.data() + at, std::min(piece, bytes.size() - at)});
  }
  return bytes;
}

std::vector<ReadMember> read_zip(const std::string& bytes) {
  const End end = find_end(bytes);
  std::vector<ReadMember> members;
  std::uint64_t entry = end.at;
  std::uint64_t data_end = 0;
  for (std::uint64_t i = 0; i < end.members; ++i) {
    members.push_back(read_member(bytes, entry, data_end));
    entry += 46 + number(bytes, entry + 28, 2) + number(bytes, entry + 30, 2) + number(bytes, entry + 32, 2);
  }
  demand(data_end == end.at && entry == end.at + end.size && entry == end.begins, "there is a gap");
  return members;
}

std::string gunzip(const std::string& bytes) { return inflate_all(bytes, 31, true); }

namespace {

TEST_CASE("the tests' own reader of ZIP files finds a single wrong byte, wherever it is") {
  const std::string good = bytes_of(Archive::build({.name = "a.zip", .bytes = 400'000}));
  REQUIRE_NOTHROW(read_zip(good));
  for (std::size_t at = 3; at < good.size(); at += 5'003) {
    std::string bad = good;
    bad[at] = static_cast<char>(~bad[at]);
    CHECK_THROWS(read_zip(bad));
  }
}

}  // namespace
}  // namespace vtmirror::simulator
