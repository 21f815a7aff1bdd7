#include "mirror/zlib_inflater.hpp"

#include <zlib.h>

#include <algorithm>
#include <limits>
#include <new>

namespace vtmirror::mirror {
namespace {

constexpr std::size_t output_size = std::size_t{128} << 10;
constexpr int raw_deflate = -15;

}  // namespace

struct ZlibInflater::Library {
  z_stream stream{};
};

ZlibInflater::ZlibInflater() : library_(new Library), output_(output_size) {
  if (inflateInit2(&library_->stream, raw_deflate) != Z_OK) throw std::bad_alloc();
}

ZlibInflater::~ZlibInflater() { inflateEnd(&library_->stream); }

void ZlibInflater::begin() {
  inflateReset(&library_->stream);
  state_ = State::open;
  size_ = 0;
  crc_ = 0;
}

StreamInflater::State ZlibInflater::add(std::span<const std::byte>& input, const Inflated& inflated) {
  auto& stream = library_->stream;
  while (state_ == State::open) {
    const auto given = std::min<std::size_t>(input.size(), std::numeric_limits<uInt>::max());
    // zlib does not write to its input.
    stream.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(input.data()));
    stream.avail_in = static_cast<uInt>(given);
    stream.next_out = reinterpret_cast<Bytef*>(output_.data());
    stream.avail_out = static_cast<uInt>(output_.size());
    const int outcome = inflate(&stream, Z_NO_FLUSH);
    if (outcome == Z_MEM_ERROR) throw std::bad_alloc();
    input = input.subspan(given - stream.avail_in);
    count(std::span(output_).first(output_.size() - stream.avail_out), inflated);
    if (outcome == Z_STREAM_END) state_ = State::ended;
    if (outcome == Z_BUF_ERROR) break;
    if (outcome != Z_OK && outcome != Z_STREAM_END) state_ = State::refused;
    if (input.empty() && stream.avail_out > 0) break;
  }
  return state_;
}

void ZlibInflater::count(std::span<const std::byte> fresh, const Inflated& inflated) {
  if (fresh.empty()) return;
  crc_ = mirror::crc32(crc_, fresh);
  size_ += fresh.size();
  if (inflated) inflated(fresh);
}

}  // namespace vtmirror::mirror
