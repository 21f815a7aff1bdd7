// A piece of a ZIP member: one whole gzip file of JSON lines, of exactly the size that was asked for, that carries its
// own number. Long members are runs of such blocks, so that any byte can be computed from its position, and no two
// blocks are alike.
#pragma once

#include "simulator/random.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace vtmirror::simulator {

/// How a member lies in its ZIP: as it is, or deflated.
enum class Method : std::uint16_t { stored = 0, deflated = 8 };

class Block {
 public:
  /// The smallest size that a block can have.
  static constexpr std::size_t smallest = 43;

  /// A block whose bytes in the ZIP are exactly `size` (at least `smallest`; for a deflated one 256 to 65,536).
  /// Stored: a compressed gzip file. Deflated: a deflated gzip file of stored blocks, which is where a reader's inflate
  /// has real work; the deflate stream is open at its end, so that blocks join, and the run's last is followed by
  /// `end_of_deflate`.
  static Block make(Method method, std::size_t size, Random& random);

  std::size_t size() const noexcept { return bytes_.size(); }
  /// Bytes after inflating: what the ZIP's checksum is about.
  std::uint64_t plain_size() const noexcept { return prefix_end_ - prefix_at_ + tail_size_; }
  /// Checksum of the plain bytes of the block with this number.
  std::uint32_t crc(std::uint64_t number) const;
  /// crc of a text followed by this block, from the crc of the text and of the block.
  std::uint32_t join(std::uint32_t before, std::uint32_t block_crc) const;
  /// Copies the bytes from `offset` on of the block with this number; `out` does not reach past its end.
  void copy(std::uint64_t number, std::size_t offset, std::span<char> out) const;

 private:
  Block(std::string bytes, std::size_t prefix_at, std::uint32_t tail_crc, std::uint64_t tail_size);
  static Block make_stored(std::size_t size, Random& random);
  static Block make_deflated(std::size_t size, Random& random);

  std::string bytes_;        // with the number 0
  std::size_t prefix_at_;    // where the gzip header begins
  std::size_t prefix_end_;   // behind the number: what follows is the same in every block
  std::uint32_t tail_crc_;   // of the plain bytes behind the number
  std::uint64_t tail_size_;  // how many these are
  std::uint32_t tail_op_;    // zlib's prepared combination for tail_size_
  std::uint32_t whole_op_;   // the same for plain_size()
};

/// Ends a run of deflated blocks: the last, empty block of the stream.
inline constexpr char end_of_deflate[] = {0x03, 0x00};

}  // namespace vtmirror::simulator
