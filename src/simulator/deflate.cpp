#include "simulator/deflate.hpp"

#include <zlib.h>

#include <array>
#include <new>

namespace vtmirror::simulator {

Deflate::Deflate() : stream_(new z_stream_s{}) {
  if (deflateInit2(stream_, 6, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
    delete stream_;
    throw std::bad_alloc();
  }
}

Deflate::~Deflate() {
  deflateEnd(stream_);
  delete stream_;
}

void Deflate::add(std::string_view text) { step(text, Z_SYNC_FLUSH); }

std::string Deflate::finish() {
  step({}, Z_FINISH);
  return std::move(bytes_);
}

void Deflate::step(std::string_view text, int flush) {
  std::array<Bytef, 16'384> buffer;
  stream_->next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));  // zlib does not write to its input
  stream_->avail_in = static_cast<uInt>(text.size());
  do {
    stream_->next_out = buffer.data();
    stream_->avail_out = static_cast<uInt>(buffer.size());
    deflate(stream_, flush);
    bytes_.append(reinterpret_cast<const char*>(buffer.data()), buffer.size() - stream_->avail_out);
  } while (stream_->avail_out == 0);
}

}  // namespace vtmirror::simulator
