// What inflates a deflate stream (RFC 1951) piece by piece.
// Promises that memory stays the same however long a stream is, and that what is passed on is counted and summed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

namespace vtmirror::mirror {

/// CRC-32 of bytes that continue those of `crc`; 0 is that of no bytes.
std::uint32_t crc32(std::uint32_t crc, std::span<const std::byte> bytes);

/// Called with what was inflated, in order.
using Inflated = std::function<void(std::span<const std::byte>)>;

class StreamInflater {
 public:
  enum class State { open, ended, refused };

  virtual ~StreamInflater() = default;

  /// Begins a stream.
  virtual void begin() = 0;

  /// Inflates the next bytes of the stream, of any number, and removes from `input` what it has read. `ended`: the
  /// stream's last byte was among these or earlier ones; those behind it that it had read already are `unused`.
  virtual State add(std::span<const std::byte>& input, const Inflated& inflated) = 0;
  State add(std::span<const std::byte>& input) { return add(input, {}); }

  virtual std::span<const std::byte> unused() const = 0;
  virtual std::uint64_t size() const = 0;  ///< of all that was passed on since `begin`
  virtual std::uint32_t crc() const = 0;   ///< of the same
};

}  // namespace vtmirror::mirror
