// The header of a deflate block (RFC 1951), looked at before the block is inflated.
// Promises that a header it calls sound is one that zlib accepts: libraries differ in which incomplete codes they
// refuse. Never inflates anything.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace vtmirror::mirror {

/// Bits in the order of a deflate stream: first `count` bits of `bits`, then the bytes.
class BitReader {
 public:
  BitReader(std::uint64_t bits, unsigned count, std::span<const std::byte> first, std::span<const std::byte> second)
      : bits_(bits), count_(count), first_(first), second_(second) {}

  /// At most 16 bits. 0 once the bits are used up, and `ended` from then on.
  std::uint32_t next(unsigned count);
  bool ended() const { return ended_; }

 private:
  bool load();
  std::uint64_t bits_;
  unsigned count_;
  bool ended_ = false;
  std::span<const std::byte> first_;
  std::span<const std::byte> second_;
};

struct DeflateBlock {
  enum class Verdict { incomplete, refused, sound } verdict = Verdict::incomplete;
  bool last = false;  ///< no block follows it; only if sound
};

/// Stricter than zlib in one point: the codes of lengths and distances must be complete, even if only one is used.
DeflateBlock look_at_block(BitReader bits);

}  // namespace vtmirror::mirror
