// The part of a transfer that receives: bytes from the store into blocks, and from there to the writer.
#include "agent/transfer.hpp"

#include <algorithm>
#include <utility>

namespace vtmirror::agent {

using boost::asio::awaitable;

namespace {

base::Error stopped() { return {base::Errc::cancelled, "stopped while waiting for the disk"}; }

core::TransferEvent ended(const base::Result<void>& result) {
  if (!result) return core::StepFailed{result.error()};
  return core::StepDone{};
}

}  // namespace

awaitable<Transfer::Event> Transfer::receive(ports::Lane& lane, int connection, Step step) {
  const auto skipped = co_await skip(lane, step.skip);
  if (!skipped) co_return ended(skipped);
  for (auto offset = step.range.begin; offset < step.range.end && !decisions_.over();) {
    auto block = co_await take_block();
    if (!block) co_return core::StepFailed{stopped()};
    // File offset and address agree modulo the alignment, so that everything except the ends can be written directly.
    const auto lead = static_cast<std::size_t>(offset) % block_alignment;
    const auto room = std::min<std::int64_t>(static_cast<std::int64_t>(block_size - lead), step.range.end - offset);
    auto& filling = filling_[connection];
    filling = {std::move(block), lead, 0, offset};
    const auto filled = co_await fill(lane, filling, static_cast<std::size_t>(room));
    const bool wanted = pass_on(connection, filling);
    offset = filling.offset;
    filling = {};
    if (!wanted) co_return core::StepDone();
    if (!filled) co_return ended(filled);
  }
  co_return core::StepDone();
}

/// Null if there is no use for it: the transfer is over, or the program stops.
awaitable<Blocks::Block> Transfer::take_block() {
  auto useless = [this] { return decisions_.over() || resources_.ports.stop.requested(); };
  auto block = co_await resources_.blocks.take(std::move(useless));
  co_return block;
}

/// What the connections have received so far.
void Transfer::pass_on() {
  for (auto& [connection, filling] : filling_) pass_on(connection, filling);
}

/// The bytes that came since the last call; those that come next belong behind them. False if no more are wanted.
bool Transfer::pass_on(int connection, FilledBlock& filling) {
  if (!filling.block) return false;
  const auto came = static_cast<std::int64_t>(filling.length);
  const auto bytes = decisions_.received(connection, came, resources_.ports.clock.steady());
  // A whole body repeats bytes that are durable, and perhaps checked: those stay as they are.
  for (const auto& missing : decisions_.unwritten({filling.offset, filling.offset + bytes})) {
    auto part = filling;
    part.lead += static_cast<std::size_t>(missing.begin - filling.offset);
    part.length = static_cast<std::size_t>(missing.size());
    part.offset = missing.begin;
    writer_->write(std::move(part));
  }
  filling.lead += std::exchange(filling.length, 0);
  filling.offset += came;
  return decisions_.expects(connection);
}

/// Ends early when the transfer is over. If the body breaks, the bytes before the break count.
awaitable<base::Result<void>> Transfer::fill(ports::Lane& lane, FilledBlock& into, std::size_t room) {
  auto& rate = resources_.rate;
  while (room > 0 && !decisions_.over()) {
    const std::span<std::byte> space(into.block.get() + into.lead + into.length, room);
    base::Result<std::size_t> got = std::size_t{0};
    if (rate.is_off())
      got = co_await lane.read(space);
    else
      got = co_await rate.read(lane, space, resources_.connections);
    if (!got) co_return resources_.ports.http.known().masked(got.error());
    if (*got == 0) co_return base::Error{base::Errc::unreachable, store_ + " ended the response too early"};
    into.length += *got;
    room -= *got;
    writer_->came();
    count(static_cast<std::int64_t>(*got));
  }
  co_return base::Result<void>();
}

void Transfer::count(std::int64_t bytes) {
  progress_.fetched += bytes;
  progress_.received = std::min(progress_.received + bytes, progress_.size);
  resources_.connections.came(bytes);
}

/// A store that ignores ranges sends from byte 0: bytes that are held already are read and dropped.
awaitable<base::Result<void>> Transfer::skip(ports::Lane& lane, std::int64_t bytes) {
  if (bytes == 0) co_return base::Result<void>();
  FilledBlock dropped;
  dropped.block = co_await take_block();
  if (!dropped.block) co_return stopped();
  base::Result<void> result;
  while (bytes > 0 && result && !decisions_.over()) {
    const auto length = static_cast<std::size_t>(std::min<std::int64_t>(bytes, block_size));
    result = co_await fill(lane, dropped, length);
    bytes -= static_cast<std::int64_t>(std::exchange(dropped.length, 0));
  }
  progress_.received = decisions_.bytes_written();
  co_return result;
}

}  // namespace vtmirror::agent
