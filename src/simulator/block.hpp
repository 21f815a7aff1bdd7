// A piece of a ZIP member: one whole gzip file of JSON lines, of exactly the requested size, that contains its own
// number. Long members are runs of such blocks, so that any byte can be computed from its position and all blocks
// differ.
#pragma once

#include "simulator/random.hpp"
#include "simulator/vehicles.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace vtmirror::simulator {

/// How a member is kept in its ZIP: stored or deflated.
enum class Method : std::uint16_t { stored = 0, deflated = 8 };

class Block {
 public:
  /// The smallest possible size of a block.
  static constexpr std::size_t smallest = 43;

  /// A block whose bytes in the ZIP are exactly `size` (at least `smallest`; for a deflated one 256 to 65,536).
  /// Stored: a compressed gzip file. Deflated: a deflated gzip file of stored blocks, which gives a reader's inflate
  /// real work. The deflate stream has no end, so that blocks can be joined; the last block of a run is followed by
  /// `end_of_deflate`.
  static Block make(Method method, std::size_t size, Random& random, Records records);

  std::size_t size() const noexcept { return bytes_.size(); }
  /// The number of bytes after inflating, which the ZIP's checksum covers.
  std::uint64_t plain_size() const noexcept { return prefix_end_ - prefix_at_ + tail_size_; }
  /// The checksum of the plain bytes of the block with this number.
  std::uint32_t crc(std::uint64_t number) const;
  /// The CRC of a text followed by this block, from the CRCs of the text and of the block.
  std::uint32_t join(std::uint32_t before, std::uint32_t block_crc) const;
  /// Copies the bytes of the block with this number, starting at `offset`. `out` must not reach past its end.
  void copy(std::uint64_t number, std::size_t offset, std::span<char> out) const;

 private:
  Block(std::string bytes, std::size_t prefix_at, std::uint32_t tail_crc, std::uint64_t tail_size);
  static Block make_stored(std::size_t size, Random& random, Records records);
  static Block make_deflated(std::size_t size, Random& random, Records records);

  std::string bytes_;        // with the number 0
  std::size_t prefix_at_;    // where the gzip header begins
  std::size_t prefix_end_;   // after the number: the rest is the same in every block
  std::uint32_t tail_crc_;   // of the plain bytes after the number
  std::uint64_t tail_size_;  // their number
  std::uint32_t tail_op_;    // zlib's prepared combination for tail_size_
  std::uint32_t whole_op_;   // the same for plain_size()
};

/// The last, empty block of the stream, which ends a run of deflated blocks.
inline constexpr char end_of_deflate[] = {0x03, 0x00};

}  // namespace vtmirror::simulator
