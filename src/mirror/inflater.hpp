// Inflates deflate streams (RFC 1951) by the library ISA-L, three times as fast as zlib.
// Promises that a stream that ends soundly here is one that zlib inflates to the same bytes; it refuses some that zlib
// accepts. Without the library it can do nothing.
#pragma once

#include "mirror/stream_inflater.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace vtmirror::mirror {

class Inflater final : public StreamInflater {
 public:
  /// Whether the program was built with the library.
  static bool available();

  Inflater();
  ~Inflater() override;
  Inflater(Inflater&&) noexcept;
  Inflater& operator=(Inflater&&) noexcept;

  using StreamInflater::add;
  void begin() override;
  State add(std::span<const std::byte>& input, const Inflated& inflated) override;
  std::span<const std::byte> unused() const override { return std::span(unused_).first(unused_count_); }
  std::uint64_t size() const override { return size_; }
  std::uint32_t crc() const override { return crc_; }

 private:
  struct Library;
  void open_block(std::span<const std::byte>& input);
  void feed_bits(std::span<const std::byte>& input);
  void run(std::span<const std::byte>& input);
  void count_output();
  void close_block();
  void refuse() { state_ = State::refused; }

  std::unique_ptr<Library> library_;
  const Inflated* inflated_ = nullptr;  ///< during a call of `add`
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
