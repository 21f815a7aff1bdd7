#include "mirror/inflater.hpp"

#ifdef VTMIRROR_WITH_ISAL

#include "mirror/deflate_block.hpp"

#include <isa-l/crc.h>
#include <isa-l/igzip_lib.h>

#include <algorithm>
#include <cstring>
#include <limits>

namespace vtmirror::mirror {
namespace {

constexpr std::size_t history_size = ISAL_DEF_HIST_SIZE;
constexpr std::size_t output_size = history_size + (std::size_t{128} << 10);

}  // namespace

std::uint32_t crc32(std::uint32_t crc, std::span<const std::byte> bytes) {
  return crc32_gzip_refl(crc, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
}

struct Inflater::Library {
  inflate_state state;
};

bool Inflater::available() { return true; }

Inflater::Inflater() : library_(new Library), output_(output_size) { isal_inflate_init(&library_->state); }
Inflater::~Inflater() = default;
Inflater::Inflater(Inflater&&) noexcept = default;
Inflater& Inflater::operator=(Inflater&&) noexcept = default;

void Inflater::begin() {
  isal_inflate_reset(&library_->state);
  state_ = State::open;
  in_block_ = last_ = false;
  header_.clear();
  counted_ = end_ = unused_count_ = 0;
  size_ = 0;
  crc_ = 0;
}

Inflater::State Inflater::add(std::span<const std::byte>& input, const Inflated& inflated) {
  inflated_ = inflated ? &inflated : nullptr;
  while (state_ == State::open) {
    if (!in_block_) open_block(input);
    if (!in_block_) break;
    if (!header_.empty()) {
      std::span<const std::byte> header(header_);
      run(header);
      header_.clear();
    }
    run(input);
    if (in_block_) break;
  }
  if (state_ != State::refused) count_output();
  return state_;
}

/// The library accepts codes that zlib refuses, and decodes many blocks in one call. So it is made to stop at the end
/// of each one, by setting the bit that marks the last, and each header is looked at first. `header_` keeps a header
/// that is not whole yet.
void Inflater::open_block(std::span<const std::byte>& input) {
  const auto& state = library_->state;
  const auto block =
      look_at_block(BitReader(state.read_in, static_cast<unsigned>(state.read_in_length), header_, input));
  if (block.verdict == DeflateBlock::Verdict::refused) return refuse();
  if (block.verdict == DeflateBlock::Verdict::incomplete) {
    header_.insert(header_.end(), input.begin(), input.end());
    input = {};
  }
  if (block.verdict != DeflateBlock::Verdict::sound) return;
  last_ = block.last;
  in_block_ = true;
  feed_bits(input);
  library_->state.read_in |= 1;
}

/// So that the library's buffer holds at least the first bit of the block.
void Inflater::feed_bits(std::span<const std::byte>& input) {
  auto& state = library_->state;
  if (state.read_in_length > 0) return;
  if (header_.empty()) {
    state.read_in = std::to_integer<std::uint64_t>(input.front());
    input = input.subspan(1);
  } else {
    state.read_in = std::to_integer<std::uint64_t>(header_.front());
    header_.erase(header_.begin());
  }
  state.read_in_length = 8;
}

/// Until the block ends, or the input.
void Inflater::run(std::span<const std::byte>& input) {
  auto& state = library_->state;
  while (state_ == State::open && in_block_) {
    if (end_ == output_.size()) count_output();
    const auto given = std::min<std::size_t>(input.size(), std::numeric_limits<std::uint32_t>::max());
    const auto room = output_.size() - end_;
    // The library does not write to its input.
    state.next_in = const_cast<std::uint8_t*>(reinterpret_cast<const std::uint8_t*>(input.data()));
    state.avail_in = static_cast<std::uint32_t>(given);
    state.next_out = reinterpret_cast<std::uint8_t*>(output_.data() + end_);
    state.avail_out = static_cast<std::uint32_t>(room);
    const int outcome = isal_inflate(&state);
    // After an error the library's counts may be wrong.
    if (outcome != ISAL_DECOMP_OK) return refuse();
    input = input.subspan(given - state.avail_in);
    end_ += room - state.avail_out;
    if (state.block_state == ISAL_BLOCK_FINISH) return close_block();
    if (input.empty() && state.avail_out > 0) return;
  }
}

/// Also moves the last 32 KiB to the front, which later blocks refer to, if the room behind them is used up.
void Inflater::count_output() {
  const auto fresh = std::span(output_).subspan(counted_, end_ - counted_);
  crc_ = crc32(crc_, fresh);
  size_ += fresh.size();
  if (inflated_ != nullptr && !fresh.empty()) (*inflated_)(fresh);
  counted_ = end_;
  if (end_ < output_.size()) return;
  std::memmove(output_.data(), output_.data() + (end_ - history_size), history_size);
  counted_ = end_ = history_size;
}

/// What the library has read of the bytes behind the block stays in `read_in`, where the next block begins.
void Inflater::close_block() {
  auto& state = library_->state;
  const auto count = static_cast<unsigned>(std::max(state.read_in_length, 0));
  const auto bits = count >= 64 ? state.read_in : state.read_in & ((std::uint64_t{1} << count) - 1);
  in_block_ = false;
  isal_inflate_reset(&state);
  if (last_) {
    state_ = State::ended;
    unused_count_ = count / 8;
    for (std::size_t i = 0; i < unused_count_; ++i)
      unused_[i] = static_cast<std::byte>((bits >> (count % 8 + 8 * i)) & 0xFFU);
    return;
  }
  state.read_in = bits;
  state.read_in_length = static_cast<std::int32_t>(count);
  const auto history = std::min(end_, history_size);
  isal_inflate_set_dict(&state, reinterpret_cast<std::uint8_t*>(output_.data() + (end_ - history)),
                        static_cast<std::uint32_t>(history));
}

}  // namespace vtmirror::mirror

#else

#include <zlib.h>

namespace vtmirror::mirror {

struct Inflater::Library {};

std::uint32_t crc32(std::uint32_t crc, std::span<const std::byte> bytes) {
  return static_cast<std::uint32_t>(::crc32_z(crc, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}
bool Inflater::available() { return false; }
Inflater::Inflater() = default;
Inflater::~Inflater() = default;
Inflater::Inflater(Inflater&&) noexcept = default;
Inflater& Inflater::operator=(Inflater&&) noexcept = default;
void Inflater::begin() {}
Inflater::State Inflater::add(std::span<const std::byte>&, const Inflated&) { return state_; }

}  // namespace vtmirror::mirror

#endif
