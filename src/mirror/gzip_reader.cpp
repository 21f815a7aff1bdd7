#include "mirror/gzip_reader.hpp"

#include "mirror/zip_records.hpp"
#include "vtmirror/base/text.hpp"

#include <algorithm>

namespace vtmirror::mirror {
namespace {

constexpr std::size_t header_size = 10, trailer_size = 8;
constexpr std::byte first_byte{0x1F}, second_byte{0x8B}, deflate{8};
constexpr unsigned with_header_crc = 2, with_extra = 4, with_name = 8, with_comment = 16, unknown_flags = 0xE0;

}  // namespace

bool is_gzip_name(std::string_view name) {
  return name.size() > 3 && base::iequals(name.substr(name.size() - 3), ".gz");
}

void GzipReader::begin() {
  inflater_->begin();
  streams_ = size_ = 0;
  expect(State::header, header_size);
}

void GzipReader::fail(std::string_view why) {
  state_ = State::damaged;
  why_ = why;
}

void GzipReader::expect(State state, std::size_t count) {
  state_ = state;
  wanted_ = count;
  gathered_.clear();
}

bool GzipReader::add(Bytes bytes, const Inflated& inflated) {
  while (!bytes.empty() && state_ != State::damaged) {
    if (state_ == State::stream)
      read_stream(bytes, inflated);
    else if (state_ == State::name || state_ == State::comment)
      skip_text(bytes);
    else if (state_ == State::extra)
      skip_extra(bytes);
    else if (state_ == State::padding)
      read_padding(bytes);
    else
      gather(bytes);
  }
  return state_ != State::damaged;
}

/// Zeros behind a stream fill up a tape's block: nothing follows them.
void GzipReader::gather(Bytes& bytes) {
  if (state_ == State::header && streams_ > 0 && gathered_.empty() && bytes.front() == std::byte{0}) {
    state_ = State::padding;
    return;
  }
  const auto count = std::min(wanted_ - gathered_.size(), bytes.size());
  gathered_.insert(gathered_.end(), bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(count));
  bytes = bytes.subspan(count);
  if (gathered_.size() == wanted_) read_gathered();
}

void GzipReader::read_gathered() {
  if (state_ == State::header) return read_header();
  if (state_ == State::trailer) return read_trailer();
  const auto number = Fields(gathered_).u16();
  if (state_ == State::header_crc) {
    if (number != (header_ & 0xFFFFU)) return fail("has a damaged header");
    return next_field();
  }
  header_ = crc32(header_, gathered_);
  extra_left_ = number;
  state_ = State::extra;
  if (extra_left_ == 0) next_field();
}

void GzipReader::read_header() {
  const auto& header = gathered_;
  if (header[0] != first_byte || header[1] != second_byte)
    return fail(streams_ == 0 ? "is not a gzip file" : "has trailing bytes that are not gzip");
  flags_ = std::to_integer<unsigned>(header[3]);
  if (header[2] != deflate || (flags_ & unknown_flags) != 0) return fail("uses an unknown compression method");
  header_ = crc32(0, header);
  next_field();
}

/// The fields of a header come in this order.
void GzipReader::next_field() {
  const auto comes = [&](unsigned flag) { return (std::exchange(flags_, flags_ & ~flag) & flag) != 0; };
  if (comes(with_extra)) return expect(State::extra_length, 2);
  if (comes(with_name)) return expect(State::name, 0);
  if (comes(with_comment)) return expect(State::comment, 0);
  if (comes(with_header_crc)) return expect(State::header_crc, 2);
  size_ += streams_ == 0 ? 0 : inflater_->size();
  inflater_->begin();
  state_ = State::stream;
}

void GzipReader::skip_text(Bytes& bytes) {
  const auto end = std::find(bytes.begin(), bytes.end(), std::byte{0});
  const bool whole = end != bytes.end();
  const auto text = bytes.first(static_cast<std::size_t>(end - bytes.begin()) + (whole ? 1 : 0));
  header_ = crc32(header_, text);
  bytes = bytes.subspan(text.size());
  if (whole) next_field();
}

void GzipReader::skip_extra(Bytes& bytes) {
  const auto part = bytes.first(std::min(extra_left_, bytes.size()));
  header_ = crc32(header_, part);
  bytes = bytes.subspan(part.size());
  extra_left_ -= part.size();
  if (extra_left_ == 0) next_field();
}

void GzipReader::read_stream(Bytes& bytes, const Inflated& inflated) {
  const auto state = inflater_->add(bytes, inflated);
  if (state == StreamInflater::State::refused) return fail("is damaged");
  if (state != StreamInflater::State::ended) return;
  expect(State::trailer, trailer_size);
  const auto unused = inflater_->unused();
  gathered_.assign(unused.begin(), unused.end());
  if (gathered_.size() == wanted_) read_gathered();
}

void GzipReader::read_trailer() {
  Fields fields(gathered_);
  const auto crc = fields.u32(), size = fields.u32();
  if (crc != inflater_->crc()) return fail("has a wrong checksum");
  if (size != (inflater_->size() & 0xFFFFFFFFU)) return fail("has a wrong length in its trailer");
  ++streams_;
  expect(State::header, header_size);
}

void GzipReader::read_padding(Bytes& bytes) {
  const bool zeros = std::all_of(bytes.begin(), bytes.end(), [](std::byte each) { return each == std::byte{0}; });
  if (!zeros) return fail("has trailing bytes that are not gzip");
  bytes = {};
}

std::string_view GzipReader::verdict() const {
  if (state_ == State::damaged) return why_;
  if (state_ == State::padding) return {};
  if (state_ != State::header) return "is truncated";
  if (gathered_.empty()) return streams_ == 0 ? "is empty" : "";
  // Too few bytes for a header.
  if (gathered_.front() == first_byte) return "is truncated";
  return streams_ == 0 ? "is not a gzip file" : "has trailing bytes that are not gzip";
}

}  // namespace vtmirror::mirror
