#include "net/answer.hpp"

#include "fuzz/targets.hpp"

#include <array>
#include <cstring>
#include <optional>
#include <vector>

namespace vtmirror::fuzz {

namespace {

using Bytes = std::span<const std::byte>;

/// What was read of an answer, in pieces of `piece` bytes.
struct Read {
  std::optional<net::Head> head;
  std::vector<std::byte> body;
  bool whole = false;
};

bool read_head(net::AnswerParser& parser, Bytes& input, std::size_t piece, Read& read) {
  std::size_t shown = 0;
  while (!parser.head_done()) {
    shown = std::min(shown + piece, input.size());
    const auto consumed = parser.put_head(input.first(shown));
    if (!consumed) return false;
    demand(*consumed <= shown, "no parser reads more than there is");
    input = input.subspan(*consumed);
    shown -= *consumed;
    if (parser.head_done()) break;
    if (shown == input.size()) return false;
  }
  const auto head = parser.head();
  if (head) read.head = *head;
  return head.has_value();
}

void read_chunked(net::AnswerParser& parser, Bytes input, std::size_t piece, Read& read) {
  std::array<std::byte, 97> into{};
  std::size_t shown = 0;
  for (bool stuck = true;;) {
    if (stuck) {
      if (shown == input.size()) return;
      shown = std::min(shown + piece, input.size());
    }
    const auto step = parser.put_chunked(input.first(shown), into);
    if (!step) return;
    demand(step->consumed <= shown && step->produced <= into.size(), "no step leaves its buffers");
    read.body.insert(read.body.end(), into.begin(), into.begin() + static_cast<std::ptrdiff_t>(step->produced));
    if (step->done) {
      read.whole = true;
      return;
    }
    input = input.subspan(step->consumed);
    shown -= step->consumed;
    stuck = step->consumed == 0 && step->produced == 0;
  }
}

Read read_answer(std::string_view text, std::size_t piece) {
  Read read;
  net::AnswerParser parser;
  Bytes input = std::as_bytes(std::span(text));
  if (!read_head(parser, input, piece, read)) return read;
  if (read.head->body == net::BodyKind::chunked) read_chunked(parser, input, piece, read);
  return read;
}

}  // namespace

void answer(std::string_view input) {
  const auto at_once = read_answer(input, std::max<std::size_t>(input.size(), 1));
  const auto in_pieces = read_answer(input, 7);
  demand(at_once.head.has_value() == in_pieces.head.has_value(), "an answer in pieces is the same answer");
  demand(at_once.whole == in_pieces.whole, "a body in pieces ends at the same place");
  if (at_once.whole) demand(at_once.body == in_pieces.body, "a body in pieces is the same body");
  if (at_once.head) {
    demand(at_once.head->status >= 100 && at_once.head->status <= 999, "a status has three digits");
    demand(at_once.head->length >= 0, "no body is shorter than nothing");
    demand(!at_once.head->retry_after || at_once.head->retry_after->count() >= 0, "nobody waits for the past");
  }
  const auto& words = at_once.head ? at_once.head->content_range : std::string(input);
  if (const auto range = net::parse_content_range(words)) {
    if (range->range) demand(range->range->begin >= 0 && range->range->begin < range->range->end, "a range has bytes");
    if (range->range && range->total) demand(range->range->end <= *range->total, "a range lies within its total");
    if (range->total) demand(*range->total >= 0, "a total is a number of bytes");
  }
}

}  // namespace vtmirror::fuzz
