// A lane's part of a transfer: a range asked for, its answer judged, its body carried to the writer.
#include "agent/transfer.hpp"
#include "vtmirror/core/service_error.hpp"

#include <algorithm>
#include <array>

namespace vtmirror::agent {

using boost::asio::awaitable;

namespace {

/// A block that fills slowly is written all the same, so that the watermark goes on on a slow line.
constexpr base::Milliseconds fill_for{1000};
constexpr std::size_t error_body_limit = 4096;

awaitable<base::Error> refusal(ports::Lane& lane, ports::RangeAnswer answer) {
  std::array<std::byte, error_body_limit> body;
  std::size_t length = 0;
  while (length < body.size()) {
    const auto room = std::span(body).subspan(length);
    const auto got = co_await lane.read(room);
    if (!got || *got == 0) break;
    length += *got;
  }
  const std::string_view text(reinterpret_cast<const char*>(body.data()), length);
  co_return core::store_error({.status = answer.status, .body = text, .retry_after = answer.retry_after});
}

}  // namespace

awaitable<void> Transfer::work() {
  const auto lane = shared_.parts.http.lane();
  const auto place = lanes_.insert(lanes_.end(), lane.get());
  show();
  while (!over()) {
    const auto range = pieces().next();
    if (!range) break;
    std::int64_t handed = range->begin;
    int generation = 0;
    const auto fetched = co_await fetch(*lane, *range, handed, generation);
    // What was handed to the writer stays claimed until it is written; the rest is free for any lane.
    pieces().failed({handed, range->end});
    if (fetched) continue;
    co_await after_failure(fetched.error(), generation);
  }
  lanes_.erase(place);
  show();
}

awaitable<base::Result<void>> Transfer::fetch(ports::Lane& lane, core::Range range, std::int64_t& handed,
                                              int& generation) {
  const auto body = co_await ask(lane, range, generation);
  if (!body) co_return body.error();
  if (!body->whole) {
    recruit();
    auto received = co_await receive(lane, body->range, handed);
    co_return received;
  }
  if (lanes_.size() > 1)
    co_return base::Error{base::Errc::protocol, "the store ignored the range that it had honoured before"};
  recruited_ = true;
  pieces().failed(range);
  const auto rest = pieces().claim_rest();
  handed = rest.begin;
  auto skipped = co_await skip(lane, rest.begin);
  if (!skipped) co_return skipped;
  auto received = co_await receive(lane, rest, handed);
  if (!received) {
    pieces().failed({handed, rest.end});
    co_return received;
  }
  auto ended = co_await expect_end(lane);
  co_return ended;
}

/// A whole body without a length of its own may be longer than the listing says, and then it is another file.
awaitable<base::Result<void>> Transfer::expect_end(ports::Lane& lane) {
  std::array<std::byte, 1> one;
  const auto more = co_await lane.read(one);
  if (more && *more > 0)
    co_return base::Error{base::Errc::changed_upstream, "the store's file has more than the " +
                                                            std::to_string(partial_.size) + " bytes of the listing"};
  co_return base::Result<void>();
}

awaitable<base::Result<Body>> Transfer::ask(ports::Lane& lane, core::Range range, int& generation) {
  const auto link = co_await shared_.links.link_for(partial_.name, refused_generation_);
  if (!link) {
    // The supply has tried all that there is to try.
    end(link.error());
    co_return link.error();
  }
  generation = link->generation;
  if (link->size != partial_.size)
    co_return base::Error{base::Errc::changed_upstream, "listed with " + std::to_string(link->size) +
                                                            " bytes now, and with " + std::to_string(partial_.size) +
                                                            " before"};
  const auto condition = if_match(identity());
  auto answer = co_await lane.get(link->url.reveal(), range, condition);
  if (!answer) co_return answer.error();
  if (answer->status != 200 && answer->status != 206) {
    const auto refused = co_await refusal(lane, *answer);
    co_return refused;
  }
  auto body = judge_answer(*answer, range, identity());
  if (!body) {
    lane.close();
    co_return body;
  }
  renewed_ = false;
  const auto learned = co_await learn_identity(answer->etag);
  if (!learned) co_return learned.error();
  co_return body;
}

/// Kept before the first byte is durable: what is durable must always say of which object it is.
awaitable<base::Result<void>> Transfer::learn_identity(const std::string& etag) {
  if (etag.empty() || !partial_.etag.empty()) co_return base::Result<void>();
  partial_.etag = etag;
  auto record = partial_;
  record.durable = pieces().durable_ranges();
  auto keep = [record](catalogue::Catalogue& c) { return c.keep_partial(record); };
  auto kept = co_await shared_.ledger(std::move(keep));
  if (!kept) end(kept.error());
  co_return kept;
}

awaitable<base::Result<void>> Transfer::receive(ports::Lane& lane, core::Range range, std::int64_t& handed) {
  for (auto offset = range.begin; offset < range.end;) {
    auto block = co_await shared_.blocks.take();
    // File offset and address agree modulo the alignment, so that all but the ends can be written directly.
    const auto lead = static_cast<std::size_t>(offset) % block_alignment;
    const auto room = std::min<std::int64_t>(static_cast<std::int64_t>(block_size - lead), range.end - offset);
    const std::span<std::byte> space(block.get() + lead, static_cast<std::size_t>(room));
    std::size_t length = 0;
    const auto filled = co_await fill(lane, space, length);
    if (length > 0) {
      // Skipped bytes do not count: a store that ignores ranges and breaks among them gets no further.
      attempts_.failed = 0;
      writer_->write({std::move(block), lead, length, offset});
    } else {
      shared_.blocks.give_back(std::move(block));
    }
    offset += static_cast<std::int64_t>(length);
    handed = offset;
    if (!filled) co_return filled;
    if (over()) co_return base::Error{base::Errc::cancelled, "the transfer has ended"};
  }
  co_return base::Result<void>();
}

/// `length` counts what came, also when the body broke.
awaitable<base::Result<void>> Transfer::fill(ports::Lane& lane, std::span<std::byte> room, std::size_t& length) {
  auto& clock = shared_.parts.clock;
  const auto begun = clock.steady();
  while (length < room.size() && clock.steady() - begun < fill_for) {
    const auto space = room.subspan(length);
    const auto got = co_await lane.read(space);
    if (!got) co_return got.error();
    if (*got == 0) co_return base::Error{base::Errc::unreachable, "the store ended the body too early"};
    length += *got;
    const auto bytes = static_cast<std::int64_t>(*got);
    progress_.fetched += bytes;
    progress_.received = std::min(progress_.received + bytes, progress_.size);
    const auto spent = co_await shared_.rate.spend(bytes);
    if (!spent) co_return spent.error();
  }
  co_return base::Result<void>();
}

/// A store that ignores ranges sends from byte 0: what is here already is read and dropped.
awaitable<base::Result<void>> Transfer::skip(ports::Lane& lane, std::int64_t bytes) {
  if (bytes == 0) co_return base::Result<void>();
  auto block = co_await shared_.blocks.take();
  base::Result<void> result;
  while (bytes > 0 && result) {
    const auto length = static_cast<std::size_t>(std::min<std::int64_t>(bytes, block_size));
    std::size_t got = 0;
    result = co_await fill(lane, std::span(block.get(), length), got);
    bytes -= static_cast<std::int64_t>(got);
  }
  shared_.blocks.give_back(std::move(block));
  progress_.received = pieces().bytes_written();
  co_return result;
}

}  // namespace vtmirror::agent
