// Gzip files as members have them: which are whole, and what is wrong with the others.
#include "mirror/gzip_reader.hpp"

#include "mirror/damaged_zips.hpp"
#include "mirror/inflater.hpp"
#include "mirror/zlib_inflater.hpp"
#include "support/gzip_file.hpp"

#include <doctest/doctest.h>

#include <algorithm>

using namespace vtmirror;
using namespace vtmirror::test;

namespace {

struct Read {
  std::string verdict;
  std::string text;
};

Read read(const std::string& bytes, std::size_t chunk, std::unique_ptr<mirror::StreamInflater> inflater) {
  mirror::GzipReader reader(std::move(inflater));
  reader.begin();
  Read outcome;
  const auto keep = [&](std::span<const std::byte> part) {
    outcome.text.append(reinterpret_cast<const char*>(part.data()), part.size());
  };
  for (auto rest = std::as_bytes(std::span(bytes)); !rest.empty();) {
    const auto part = rest.first(std::min(chunk, rest.size()));
    rest = rest.subspan(part.size());
    if (!reader.add(part, keep)) break;
  }
  outcome.verdict = reader.verdict();
  if (outcome.verdict.empty()) CHECK(reader.size() == outcome.text.size());
  return outcome;
}

/// By both inflaters, in pieces of several lengths; all must say the same.
Read read(const std::string& bytes) {
  auto first = read(bytes, 1U << 20U, std::make_unique<mirror::ZlibInflater>());
  for (const std::size_t chunk : {1U, 7U, 4096U, 1U << 20U}) {
    CAPTURE(chunk);
    const auto strict = read(bytes, chunk, std::make_unique<mirror::ZlibInflater>());
    CHECK(strict.verdict == first.verdict);
    if (first.verdict.empty()) CHECK(strict.text == first.text);
    if (!mirror::Inflater::available()) continue;
    const auto quick = read(bytes, chunk, std::make_unique<mirror::Inflater>());
    CHECK(quick.verdict == first.verdict);
    if (first.verdict.empty()) CHECK(quick.text == first.text);
  }
  return first;
}

std::string with_header(unsigned flags, const std::string& fields, const std::string& text) {
  auto file = gzip_of(text);
  file[3] = static_cast<char>(flags);
  return file.insert(10, fields);
}

}  // namespace

TEST_CASE("a gzip file of one stream or of several is unpacked, whatever its header contains") {
  const auto text = lines(3000), noise = body(70'000);
  CHECK(read(gzip_of(text)).text == text);
  CHECK(read(gzip_of("")).verdict.empty());
  CHECK(read(gzip_of(text) + gzip_of("") + gzip_of(noise)).text == text + noise);
  CHECK(read(gzip_of(noise) + std::string(700, '\0')).text == noise);
  const std::string extra = number(4, 2) + "abcd", name("a.json\0", 7), comment = std::string(20'000, '.') + '\0';
  CHECK(read(with_header(4 | 8 | 16, extra + name + comment, text)).text == text);
  CHECK(read(with_header(4, number(0, 2), text)).text == text);
  auto sealed = with_header(2 | 8, name, text);
  sealed.insert(17, number(crc_of(sealed.substr(0, 17)) & 0xFFFFU, 2));
  CHECK(read(sealed).text == text);
  sealed[17] = static_cast<char>(sealed[17] ^ 1);
  CHECK(read(sealed).verdict == "has a damaged header");
}

TEST_CASE("a gzip file that is cut anywhere is not whole") {
  const auto whole = gzip_of(lines(3)) + gzip_of("second");
  const auto first = gzip_of(lines(3)).size();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    CAPTURE(size);
    const auto verdict = read(whole.substr(0, size)).verdict;
    if (size == first)
      CHECK(verdict.empty());
    else
      CHECK(verdict == (size == 0 ? "is empty" : "is truncated"));
  }
}

TEST_CASE("what is wrong with a gzip file is said in words") {
  const auto sound = gzip_of(lines(20));
  auto checksum = sound, length = sound, stream = sound, method = sound, flags = sound;
  flip(checksum, sound.size() - 8);
  flip(length, sound.size() - 1);
  stream[10] = static_cast<char>(stream[10] | 6);
  method[2] = 7;
  flags[3] = static_cast<char>(0x80);
  CHECK(read(checksum).verdict == "has a wrong checksum");
  CHECK(read(length).verdict == "has a wrong length in its trailer");
  CHECK(read(stream).verdict == "is damaged");
  CHECK(read(method).verdict == "uses an unknown compression method");
  CHECK(read(flags).verdict == "uses an unknown compression method");
  CHECK(read(lines(20)).verdict == "is not a gzip file");
  CHECK(read("x").verdict == "is not a gzip file");
  CHECK(read(sound + lines(2)).verdict == "has trailing bytes that are not gzip");
  CHECK(read(sound + "x").verdict == "has trailing bytes that are not gzip");
  CHECK(read(sound + std::string("\0\0x", 3)).verdict == "has trailing bytes that are not gzip");
}

TEST_CASE("members are gzip files by their names") {
  for (const auto* name : {"a.gz", "a.json.GZ", "d/a.gz"}) CHECK(mirror::is_gzip_name(name));
  for (const auto* name : {"", ".gz", "a.json", "agz", "a.gz/"}) CHECK_FALSE(mirror::is_gzip_name(name));
}
