// Reads gzip files (RFC 1952), of one stream or of several in a row, piece by piece.
// Promises that a file that ends well here is one that `gzip -d` unpacks completely and without a warning. Never keeps
// what it unpacks.
#pragma once

#include "mirror/stream_inflater.hpp"

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace vtmirror::mirror {

/// Whether a member of that name is a gzip file.
bool is_gzip_name(std::string_view name);

class GzipReader {
 public:
  explicit GzipReader(std::unique_ptr<StreamInflater> inflater) : inflater_(std::move(inflater)) {}

  /// Begins a file.
  void begin();

  /// The next bytes of the file, and what they unpack to. False once the file is damaged.
  bool add(std::span<const std::byte> bytes, const Inflated& inflated);

  /// Must be asked after the last byte of the file. Empty if it is whole and sound; otherwise what is wrong, as the end
  /// of a sentence that names it: "is truncated".
  std::string_view verdict() const;

  /// Of what was unpacked.
  std::uint64_t size() const { return size_ + inflater_->size(); }

 private:
  enum class State { header, extra_length, extra, name, comment, header_crc, stream, trailer, padding, damaged };
  using Bytes = std::span<const std::byte>;

  void expect(State state, std::size_t count);
  void gather(Bytes& bytes);
  void read_gathered();
  void read_header();
  void next_field();
  void skip_text(Bytes& bytes);
  void skip_extra(Bytes& bytes);
  void read_stream(Bytes& bytes, const Inflated& inflated);
  void read_trailer();
  void read_padding(Bytes& bytes);
  void fail(std::string_view why);

  std::unique_ptr<StreamInflater> inflater_;
  State state_ = State::damaged;
  std::string_view why_ = "is not a gzip file";
  std::vector<std::byte> gathered_;
  std::size_t wanted_ = 0;
  std::size_t extra_left_ = 0;
  unsigned flags_ = 0;        ///< of the fields of the header that are still to come
  std::uint32_t header_ = 0;  ///< CRC of the header so far
  std::uint64_t streams_ = 0;
  std::uint64_t size_ = 0;  ///< of the streams before this one
};

}  // namespace vtmirror::mirror
