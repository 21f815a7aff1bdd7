// Inflates deflate streams (RFC 1951) for their length and CRC-32 alone.
// Promises that a stream that ends soundly here is one that zlib inflates to the same bytes, and that memory stays the
// same however long it is. Never keeps what it inflates. Without the library ISA-L it can do nothing.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace vtmirror::mirror {

/// Of bytes that continue those of `crc`; 0 is that of no bytes. Only if `Inflater::available`.
std::uint32_t crc32(std::uint32_t crc, std::span<const std::byte> bytes);

class Inflater {
 public:
  enum class State { open, ended, refused };

  /// Whether the program was built with the library.
  static bool available();

  Inflater();
  ~Inflater();
  Inflater(Inflater&&) noexcept;
  Inflater& operator=(Inflater&&) noexcept;

  /// Begins a stream.
  void begin();

  /// Inflates the next bytes of the stream, of any number, and removes from `input` what it has read. `ended`: the
  /// stream's last byte was among these or earlier ones; those behind it that it had read already are `unused`.
  State add(std::span<const std::byte>& input);

  std::span<const std::byte> unused() const { return std::span(unused_).first(unused_count_); }
  std::uint64_t size() const { return size_; }
  std::uint32_t crc() const { return crc_; }

 private:
  struct Library;
  void open_block(std::span<const std::byte>& input);
  void take_bits(std::span<const std::byte>& input);
  void run(std::span<const std::byte>& input);
  void count_output();
  void close_block();
  void refuse() { state_ = State::refused; }

  std::unique_ptr<Library> library_;
  State state_ = State::refused;
  bool in_block_ = false;
  bool last_ = false;                  ///< no block follows this one
  std::vector<std::byte> header_;      ///< the beginning of a block's header, until the rest of it is there
  std::vector<std::byte> output_;      ///< the last 32 KiB that were counted, and what was inflated since
  std::size_t counted_ = 0, end_ = 0;  ///< places in `output_`
  std::array<std::byte, 8> unused_{};
  std::size_t unused_count_ = 0;
  std::uint64_t size_ = 0;
  std::uint32_t crc_ = 0;
};

}  // namespace vtmirror::mirror
