#include "mirror/deflate_block.hpp"

#include <algorithm>
#include <array>
#include <optional>

namespace vtmirror::mirror {
namespace {

using Verdict = DeflateBlock::Verdict;

constexpr std::size_t longest_code = 15;
constexpr std::size_t end_of_block = 256;

/// A canonical Huffman code, which is decoded bit by bit: a header has few symbols.
class Code {
 public:
  explicit Code(std::span<const std::uint8_t> lengths) {
    for (const auto length : lengths) ++counts_[length];
    counts_[0] = 0;
    std::array<std::uint16_t, longest_code + 2> at{};
    for (std::size_t i = 1; i <= longest_code; ++i) at[i + 1] = static_cast<std::uint16_t>(at[i] + counts_[i]);
    for (std::size_t symbol = 0; symbol < lengths.size(); ++symbol)
      if (lengths[symbol] != 0) symbols_[at[lengths[symbol]]++] = static_cast<std::uint16_t>(symbol);
  }

  /// Every sequence of bits means something, and no sequence means two things.
  bool complete() const {
    int left = 1;
    for (std::size_t i = 1; i <= longest_code; ++i) {
      left = left * 2 - counts_[i];
      if (left < 0) return false;
    }
    return left == 0;
  }

  /// Of a complete code.
  std::uint16_t decode(BitReader& bits) const {
    int code = 0, first = 0, index = 0;
    for (std::size_t i = 1; i <= longest_code; ++i) {
      code |= static_cast<int>(bits.next(1));
      const int count = counts_[i];
      if (code - first < count) return symbols_[static_cast<std::size_t>(index + code - first)];
      index += count;
      first = (first + count) * 2;
      code *= 2;
    }
    return 0;
  }

 private:
  std::array<std::uint16_t, longest_code + 1> counts_{};
  std::array<std::uint16_t, 320> symbols_{};
};

/// The code in which the lengths of the other two codes are written; empty if it is not complete.
std::optional<Code> take_length_code(BitReader& bits, std::size_t count) {
  static constexpr std::array<std::uint8_t, 19> order{16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};
  std::array<std::uint8_t, 19> lengths{};
  for (std::size_t i = 0; i < count; ++i) lengths[order[i]] = static_cast<std::uint8_t>(bits.next(3));
  const Code code(lengths);
  return code.complete() ? std::optional(code) : std::nullopt;
}

struct Repeat {
  std::size_t times = 1;
  std::uint8_t length = 0;
};

Repeat read_repeat(BitReader& bits, std::uint16_t symbol, std::uint8_t previous) {
  if (symbol < 16) return {1, static_cast<std::uint8_t>(symbol)};
  if (symbol == 16) return {3 + bits.next(2), previous};
  return {symbol == 17 ? 3 + bits.next(3) : 11 + bits.next(7), 0};
}

/// False if a repetition has nothing to repeat, or leaves the table.
bool read_lengths(BitReader& bits, const Code& code, std::span<std::uint8_t> lengths) {
  for (std::size_t at = 0; at < lengths.size() && !bits.ended();) {
    const auto symbol = code.decode(bits);
    if (symbol == 16 && at == 0) return false;
    const Repeat repeat = read_repeat(bits, symbol, at == 0 ? std::uint8_t{0} : lengths[at - 1]);
    if (repeat.times > lengths.size() - at) return false;
    std::fill_n(lengths.begin() + static_cast<std::ptrdiff_t>(at), repeat.times, repeat.length);
    at += repeat.times;
  }
  return true;
}

Verdict look_at_codes(BitReader& bits) {
  const std::size_t literals = 257 + bits.next(5), distances = 1 + bits.next(5), lengths_count = 4 + bits.next(4);
  const auto length_code = take_length_code(bits, lengths_count);
  if (bits.ended()) return Verdict::incomplete;
  if (literals > 286 || distances > 30 || !length_code) return Verdict::refused;
  std::array<std::uint8_t, 286 + 30> table{};
  const auto lengths = std::span(table).first(literals + distances);
  const bool fits = read_lengths(bits, *length_code, lengths);
  if (bits.ended()) return Verdict::incomplete;
  const bool sound = fits && lengths[end_of_block] != 0 && Code(lengths.first(literals)).complete() &&
                     Code(lengths.subspan(literals)).complete();
  return sound ? Verdict::sound : Verdict::refused;
}

}  // namespace

bool BitReader::load() {
  if (first_.empty()) std::swap(first_, second_);
  if (first_.empty()) return false;
  bits_ |= std::to_integer<std::uint64_t>(first_.front()) << count_;
  count_ += 8;
  first_ = first_.subspan(1);
  return true;
}

std::uint32_t BitReader::next(unsigned count) {
  while (count_ < count && !ended_) ended_ = !load();
  if (ended_) return 0;
  const auto taken = static_cast<std::uint32_t>(bits_ & ((std::uint64_t{1} << count) - 1));
  bits_ >>= count;
  count_ -= count;
  return taken;
}

DeflateBlock look_at_block(BitReader bits) {
  const bool last = bits.next(1) != 0;
  const auto type = bits.next(2);
  if (bits.ended()) return {};
  if (type == 3) return {.verdict = Verdict::refused};
  return {.verdict = type == 2 ? look_at_codes(bits) : Verdict::sound, .last = last};
}

}  // namespace vtmirror::mirror
