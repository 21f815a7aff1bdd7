// Deflate streams, made bit by bit: which are inflated, and which are refused although the library would take them.
#include "mirror/damaged_zips.hpp"
#include "mirror/followed.hpp"
#include "support/raw_zip.hpp"
#include "support/skip.hpp"

#include <doctest/doctest.h>

using namespace vtmirror;
using namespace vtmirror::test;
using State = mirror::Inflater::State;

namespace {

class BitWriter {
 public:
  BitWriter& bits(std::uint64_t value, int count) {
    for (int i = 0; i < count; ++i) bit((value >> i & 1U) != 0);
    return *this;
  }
  /// A Huffman code, whose first bit is its highest.
  BitWriter& code(unsigned value, int length) {
    for (int i = length; i-- > 0;) bit((value >> i & 1U) != 0);
    return *this;
  }
  BitWriter& bytes(const std::string& text) {
    count_ = 0;
    bytes_ += text;
    return *this;
  }
  std::string done() const { return bytes_; }

 private:
  void bit(bool set) {
    if (count_ == 0) bytes_ += '\0';
    if (set) bytes_.back() = static_cast<char>(bytes_.back() | 1 << count_);
    count_ = (count_ + 1) % 8;
  }
  std::string bytes_;
  int count_ = 0;
};

/// A last block of `literals` times "a", with codes of these lengths: for "a", for its end, and for two distances.
std::string block(int literals, std::array<unsigned, 4> lengths) {
  BitWriter writer;
  writer.bits(1, 1).bits(2, 2).bits(0, 5).bits(1, 5).bits(14, 4);
  // The code of the lengths: a run of zeros with 1 bit; 0, 1, 2 and 3 with 3 bits.
  for (const int length : {0, 0, 1, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3, 0, 3, 0, 3})
    writer.bits(static_cast<unsigned>(length), 3);
  const auto length = [&](unsigned value) { writer.code(4 + value, 3); };
  writer.code(0, 1).bits(97 - 11, 7);
  length(lengths[0]);
  writer.code(0, 1).bits(138 - 11, 7).code(0, 1).bits(20 - 11, 7);
  for (int i = 1; i < 4; ++i) length(lengths[static_cast<std::size_t>(i)]);
  for (int i = 0; i < literals; ++i) writer.code(0, static_cast<int>(lengths[0]));
  writer.code(lengths[1] == 1 ? 1 : 2, static_cast<int>(lengths[1]));
  return writer.done();
}

struct Inflated {
  State state = State::open;
  std::uint64_t size = 0;
  std::uint32_t crc = 0;
  std::size_t behind = 0;  ///< bytes that were left over
};

Inflated inflate(const std::string& stream, std::size_t chunk) {
  mirror::Inflater inflater;
  inflater.begin();
  Inflated outcome;
  for (auto rest = std::as_bytes(std::span(stream)); !rest.empty() && outcome.state == State::open;) {
    auto part = rest.first(std::min(chunk, rest.size()));
    rest = rest.subspan(part.size());
    outcome.state = inflater.add(part);
    outcome.behind = part.size() + rest.size();
  }
  outcome.behind += inflater.unused().size();
  outcome.size = inflater.size();
  outcome.crc = inflater.crc();
  return outcome;
}

RawZip zip_with(const std::string& stream, const std::string& text) {
  return {.members = {{.name = "a", .text = text, .packed = stream}}};
}

}  // namespace

TEST_CASE("streams of any length end where they end, in chunks of any size") {
  if (!mirror::Inflater::available()) return skip(no_follower);
  const std::string zeros(3 << 20, '\0');
  for (const auto& text : {std::string("a"), lines(100), lines(60000), body(200000), zeros}) {
    const auto stream = deflated(text);
    for (const std::size_t chunk : {1U, 7U, 100U, 4096U, 65536U, 1U << 24U}) {
      if (chunk == 1 && stream.size() > 30000) continue;
      CAPTURE(text.size());
      CAPTURE(chunk);
      const auto outcome = inflate(stream + "0123456789", chunk);
      CHECK(outcome.state == State::ended);
      CHECK(outcome.size == text.size());
      CHECK(outcome.crc == crc_of(text));
      CHECK(outcome.behind == 10);
      CHECK(inflate(stream.substr(0, stream.size() - 1), chunk).state == State::open);
    }
  }
}

TEST_CASE("stored, fixed and empty blocks follow each other within one stream") {
  if (!mirror::Inflater::available()) return skip(no_follower);
  BitWriter writer;
  writer.bits(0, 3).bytes(number(5, 2) + number(0xFFFF - 5, 2) + "hello");
  writer.bits(0, 1).bits(1, 2).code(0x30 + 'a', 8).code(0, 7);  // a fixed block: "a", end
  writer.bits(0, 3).bytes(number(0, 2) + number(0xFFFF, 2));
  writer.bits(0, 1).bits(1, 2).code(0, 7);
  writer.bits(1, 1).bits(1, 2).code(0x30 + 'b', 8).code(1, 7).code(6, 5).bits(0, 2).code(0, 7);  // "b", 3 from 9 back
  const auto stream = writer.done();
  CHECK(inflate(stream, 1).state == State::refused);  // there are only 7 bytes to go back
  auto near = BitWriter().bits(0, 3).bytes(number(5, 2) + number(0xFFFF - 5, 2) + "hello");
  near.bits(0, 1).bits(1, 2).code(0x30 + 'a', 8).code(0, 7);
  near.bits(1, 1).bits(1, 2).code(1, 7).code(4, 5).bits(1, 1).code(0, 7);  // 3 from 6 back: "hel"
  for (const std::size_t chunk : {1U, 2U, 3U, 5U, 100U}) {
    const auto outcome = inflate(near.done() + "xyz", chunk);
    CHECK(outcome.state == State::ended);
    CHECK(outcome.crc == crc_of("helloahel"));
    CHECK(outcome.behind == 3);
  }
  CHECK(proven(written(zip_with(near.done(), "helloahel"))));
}

TEST_CASE("codes that zlib refuses are refused, even if nothing uses the part that is missing") {
  if (!mirror::Inflater::available()) return skip(no_follower);
  const std::string text(9, 'a');
  const auto verdict = [&](std::array<unsigned, 4> lengths) {
    const auto stream = block(9, lengths);
    const auto zip = written(zip_with(stream, text));
    const bool proof = proven(zip);
    CHECK(proof == (inflate(stream, 1).state == State::ended));
    CHECK(same_verdict(zip));
    if (proof) CHECK(check_whole(zip).has_value());
    return proof;
  };
  CHECK(verdict({1, 1, 1, 1}));
  for (const auto& lengths : std::vector<std::array<unsigned, 4>>{{1, 2, 1, 1},
                                                                  {1, 1, 2, 2},
                                                                  {1, 1, 1, 2},
                                                                  {1, 1, 0, 2},
                                                                  {1, 1, 1, 0},
                                                                  {1, 1, 0, 0},
                                                                  {1, 0, 1, 1},
                                                                  {1, 1, 3, 3}}) {
    CAPTURE(lengths[1]);
    CAPTURE(lengths[2]);
    CAPTURE(lengths[3]);
    CHECK_FALSE(verdict(lengths));
  }
}

TEST_CASE("a block of a type that does not exist is refused, and so is a length without its complement") {
  if (!mirror::Inflater::available()) return skip(no_follower);
  CHECK(inflate(BitWriter().bits(7, 3).done(), 1).state == State::refused);
  CHECK(inflate(BitWriter().bits(1, 3).bytes(number(1, 2) + number(1, 2) + "a").done(), 1).state == State::refused);
}
