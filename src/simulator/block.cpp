#include "simulator/block.hpp"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <new>
#include <string>
#include <string_view>

namespace vtmirror::simulator {
namespace {

/// A raw deflate stream that is byte-aligned after every addition, so that its current size is known and streams can be
/// joined.
class Deflate {
 public:
  Deflate();
  ~Deflate();
  Deflate(const Deflate&) = delete;
  Deflate& operator=(const Deflate&) = delete;

  void add(std::string_view text);
  /// The compressed bytes so far, without an end of the stream.
  const std::string& bytes() const noexcept { return bytes_; }
  /// The complete stream. Nothing may be added afterwards.
  std::string finish();

 private:
  void step(std::string_view text, int flush);

  z_stream_s* stream_;
  std::string bytes_;
};

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

constexpr std::size_t number_digits = 16;
// gzip, deflate, FEXTRA and FCOMMENT; no time; unknown system; one extra field "VT" that contains the number.
constexpr std::string_view gzip_head{"\x1f\x8b\x08\x14\0\0\0\0\0\xff\x14\0VT\x10\0", 16};
constexpr std::string_view gzip_open_end{"\x01\0\0\xff\xff", 5};  // a last, empty, stored block

std::array<char, number_digits> digits_of(std::uint64_t number) {
  std::array<char, number_digits> digits{};
  for (std::size_t i = number_digits; i-- > 0; number >>= 4U) digits[i] = "0123456789abcdef"[number & 15U];
  return digits;
}

std::uint32_t crc_of(std::string_view bytes, std::uint32_t from = 0) {
  return static_cast<std::uint32_t>(crc32_z(from, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

void append_le(std::string& out, std::uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i, value >>= 8U) out += static_cast<char>(value & 0xffU);
}

std::string gzip_header() { return std::string(gzip_head) + std::string(number_digits, '0'); }

// Adds as many whole lines as certainly fit into `room` bytes after compression, in batches. `use` gets each batch and
// returns the room used so far.
template <class Use>
void fill(std::size_t room, Random& random, Records records, Use use) {
  std::size_t used = 0;
  std::string batch;
  while (true) {
    batch.clear();
    const int lines = room - used > 16'384 ? 12 : 1;
    for (int i = 0; i < lines; ++i) append_vehicle(batch, random, records);
    if (used + batch.size() + 32 > room) return;
    used = use(batch);
  }
}

}  // namespace

Block::Block(std::string bytes, std::size_t prefix_at, std::uint32_t tail_crc, std::uint64_t tail_size)
    : bytes_(std::move(bytes)),
      prefix_at_(prefix_at),
      prefix_end_(prefix_at + gzip_head.size() + number_digits),
      tail_crc_(tail_crc),
      tail_size_(tail_size),
      tail_op_(static_cast<std::uint32_t>(crc32_combine_gen(static_cast<z_off_t>(tail_size)))),
      whole_op_(static_cast<std::uint32_t>(crc32_combine_gen(static_cast<z_off_t>(plain_size())))) {}

Block Block::make(Method method, std::size_t size, Random& random, Records records) {
  return method == Method::stored ? make_stored(size, random, records) : make_deflated(size, random, records);
}

Block Block::make_stored(std::size_t size, Random& random, Records records) {
  Deflate deflate;
  std::uint32_t text_crc = 0;
  std::uint32_t text_size = 0;
  fill(size - smallest, random, records, [&](const std::string& text) {
    text_crc = crc_of(text, text_crc);
    text_size += static_cast<std::uint32_t>(text.size());
    deflate.add(text);
    return deflate.bytes().size();
  });
  const std::string body = deflate.finish();
  std::string bytes = gzip_header();
  const std::size_t head = bytes.size();
  bytes.append(size - head - 1 - body.size() - 8, '.');  // the comment fills the rest
  bytes += '\0';
  bytes += body;
  append_le(bytes, text_crc, 4);
  append_le(bytes, text_size, 4);
  const std::string_view tail = std::string_view(bytes).substr(head);
  const std::uint32_t tail_crc = crc_of(tail);
  const std::uint64_t tail_size = tail.size();
  return Block(std::move(bytes), 0, tail_crc, tail_size);
}

Block Block::make_deflated(std::size_t size, Random& random, Records records) {
  Deflate deflate;
  std::string plain{'\0'};  // ends the comment; the content of the outer stream after the stored block
  std::uint32_t text_crc = 0;
  std::uint32_t text_size = 0;
  const auto add = [&](std::string_view bytes) {
    plain += bytes;
    deflate.add(bytes);
  };
  deflate.add(plain);
  fill(size - 200, random, records, [&](const std::string& text) {
    text_crc = crc_of(text, text_crc);
    text_size += static_cast<std::uint32_t>(text.size());
    std::string stored{'\0'};
    append_le(stored, text.size(), 2);
    append_le(stored, ~text.size(), 2);
    add(stored + text);
    return deflate.bytes().size();
  });
  std::string end(gzip_open_end);
  append_le(end, text_crc, 4);
  append_le(end, text_size, 4);
  add(end);
  const std::string header = gzip_header();
  const std::string padding(size - 5 - header.size() - deflate.bytes().size(), '.');
  const std::size_t literal = header.size() + padding.size();
  std::string bytes{
      '\0'};  // a stored block of the outer stream, so that the number can be changed without deflating again
  append_le(bytes, literal, 2);
  append_le(bytes, ~literal, 2);
  bytes += header + padding + deflate.bytes();
  return Block(std::move(bytes), 5, crc_of(plain, crc_of(padding)), padding.size() + plain.size());
}

std::uint32_t Block::crc(std::uint64_t number) const {
  const std::array<char, number_digits> digits = digits_of(number);
  const std::uint32_t head = crc_of({digits.data(), digits.size()}, crc_of(gzip_head));
  return static_cast<std::uint32_t>(crc32_combine_op(head, tail_crc_, tail_op_));
}

std::uint32_t Block::join(std::uint32_t before, std::uint32_t block_crc) const {
  return static_cast<std::uint32_t>(crc32_combine_op(before, block_crc, whole_op_));
}

void Block::copy(std::uint64_t number, std::size_t offset, std::span<char> out) const {
  std::memcpy(out.data(), bytes_.data() + offset, out.size());
  const std::size_t digits_at = prefix_end_ - number_digits;
  if (offset >= prefix_end_ || offset + out.size() <= digits_at) return;
  const std::array<char, number_digits> digits = digits_of(number);
  const std::size_t from = std::max(offset, digits_at);
  const std::size_t to = std::min(offset + out.size(), prefix_end_);
  std::memcpy(out.data() + (from - offset), digits.data() + (from - digits_at), to - from);
}

}  // namespace vtmirror::simulator
