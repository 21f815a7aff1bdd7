// Writes a valid ZIP of N GiB that takes no space on the disk: one stored member, which is a hole.
//
//   sparse_zip FILE GIB
#include <fcntl.h>
#include <unistd.h>
#include <zlib.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

constexpr std::int64_t gib = std::int64_t{1} << 30;
constexpr std::uint32_t in_the_extra_field = 0xFFFFFFFF;

/// Little-endian numbers, one behind the other.
class Record {
 public:
  Record& put(std::uint64_t number, int bytes) {
    for (int n = 0; n < bytes; ++n) text_.push_back(static_cast<char>(number >> (8 * n)));
    return *this;
  }
  Record& put(const std::string& text) {
    text_ += text;
    return *this;
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

const std::string name = "zeros.json";

std::uint32_t checksum_of_zeros(std::int64_t gibs) {
  const std::vector<unsigned char> block(1 << 20);
  auto one = ::crc32(0, nullptr, 0);
  for (int n = 0; n < 1024; ++n) one = ::crc32(one, block.data(), static_cast<unsigned>(block.size()));
  auto all = one;
  for (std::int64_t n = 1; n < gibs; ++n) all = ::crc32_combine(all, one, gib);
  return static_cast<std::uint32_t>(all);
}

/// What local header and directory say alike.
Record& put_common(Record& record, std::uint32_t checksum, int extra_bytes) {
  record.put(45, 2).put(0, 2).put(0, 2).put(0, 2).put(0x5C21, 2).put(checksum, 4);
  record.put(in_the_extra_field, 4).put(in_the_extra_field, 4);
  return record.put(name.size(), 2).put(static_cast<std::uint64_t>(extra_bytes), 2);
}

std::string local_header(std::int64_t size, std::uint32_t checksum) {
  Record record;
  record.put(0x04034B50, 4);
  put_common(record, checksum, 20).put(name);
  const auto bytes = static_cast<std::uint64_t>(size);
  return record.put(1, 2).put(16, 2).put(bytes, 8).put(bytes, 8).text();
}

std::string directory(std::int64_t size, std::uint32_t checksum, std::int64_t at) {
  Record entry;
  entry.put(0x02014B50, 4).put(45, 2);
  put_common(entry, checksum, 20).put(0, 2).put(0, 2).put(0, 2).put(0, 4).put(0, 4).put(name);
  const auto bytes = static_cast<std::uint64_t>(size);
  entry.put(1, 2).put(16, 2).put(bytes, 8).put(bytes, 8);
  const auto begin = static_cast<std::uint64_t>(at);
  const auto length = entry.text().size();
  Record end;
  end.put(0x06064B50, 4).put(44, 8).put(45, 2).put(45, 2).put(0, 4).put(0, 4).put(1, 8).put(1, 8);
  end.put(length, 8).put(begin, 8);
  end.put(0x07064B50, 4).put(0, 4).put(begin + length, 8).put(1, 4);
  end.put(0x06054B50, 4).put(0, 2).put(0, 2).put(1, 2).put(1, 2).put(length, 4).put(in_the_extra_field, 4).put(0, 2);
  return entry.text() + end.text();
}

bool write_at(int file, const std::string& text, std::int64_t at) {
  return ::pwrite(file, text.data(), text.size(), at) == static_cast<ssize_t>(text.size());
}

}  // namespace

int main(int argc, char** argv) {
  const std::int64_t gibs = argc == 3 ? std::atoll(argv[2]) : 0;
  if (gibs < 4) return std::fputs("usage: sparse_zip FILE GIB (4 or more)\n", stderr), 2;
  const auto checksum = checksum_of_zeros(gibs);
  const auto head = local_header(gibs * gib, checksum);
  const auto at = static_cast<std::int64_t>(head.size()) + gibs * gib;
  const int file = ::open(argv[1], O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0644);
  if (file < 0) return std::perror("sparse_zip"), 1;
  if (!write_at(file, head, 0) || !write_at(file, directory(gibs * gib, checksum, at), at))
    return std::perror("sparse_zip"), 1;
  return ::close(file) == 0 ? 0 : 1;
}
