// Inflates deflate streams by zlib, whose verdict on a stream is the one that other programs have.
// Promises to read not one byte behind a stream's end. Works everywhere, and is slower than `Inflater`.
#pragma once

#include "mirror/stream_inflater.hpp"

#include <memory>
#include <vector>

namespace vtmirror::mirror {

class ZlibInflater final : public StreamInflater {
 public:
  ZlibInflater();
  ~ZlibInflater() override;
  ZlibInflater(const ZlibInflater&) = delete;
  ZlibInflater& operator=(const ZlibInflater&) = delete;

  using StreamInflater::add;
  void begin() override;
  State add(std::span<const std::byte>& input, const Inflated& inflated) override;
  std::span<const std::byte> unused() const override { return {}; }
  std::uint64_t size() const override { return size_; }
  std::uint32_t crc() const override { return crc_; }

 private:
  struct Library;
  void count(std::span<const std::byte> fresh, const Inflated& inflated);

  std::unique_ptr<Library> library_;
  State state_ = State::refused;
  std::vector<std::byte> output_;
  std::uint64_t size_ = 0;
  std::uint32_t crc_ = 0;
};

}  // namespace vtmirror::mirror
