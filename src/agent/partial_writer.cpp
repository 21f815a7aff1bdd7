#include "agent/partial_writer.hpp"

#include <algorithm>
#include <utility>

namespace vtmirror::agent {

using boost::asio::awaitable;

namespace {

/// After a crash at most the bytes of about this much time are downloaded again.
constexpr base::Milliseconds sync_every{1000};
constexpr int next_sync = 0;  ///< the only wait

}  // namespace

PartialWriter::PartialWriter(Ports ports, Blocks& blocks, CatalogueCalls& calls, std::string name,
                             std::unique_ptr<ports::PartialFile> file, core::Transfer& transfer,
                             std::function<void()> failed)
    : ports_(ports),
      blocks_(blocks),
      calls_(calls),
      name_(std::move(name)),
      file_(std::move(file)),
      transfer_(transfer),
      failed_(std::move(failed)),
      tasks_(ports.loop),
      waits_(ports.loop) {}

void PartialWriter::write(FilledBlock filled) { tasks_.spawn(write_one(std::move(filled))); }

awaitable<void> PartialWriter::write_one(FilledBlock filled) {
  const std::span<const std::byte> bytes(filled.block.get() + filled.lead, filled.length);
  auto job = [file = file_.get(), offset = filled.offset, bytes] { return file->write(offset, bytes); };
  const auto written = co_await off_loop(ports_.pool.get_executor(), std::move(job));
  blocks_.give_back(std::move(filled.block));
  if (!written) {
    disk_failed(written.error());
    co_return;
  }
  transfer_.written({filled.offset, filled.offset + static_cast<std::int64_t>(filled.length)});
  if (!draining_ && !std::exchange(keeping_up_, true)) tasks_.spawn(keep_up());
}

/// Begins with a write while none before it waits for a sync, and ends when nothing is behind. Bytes that are written
/// during a sync are due a second after its begin.
awaitable<void> PartialWriter::keep_up() {
  auto& clock = ports_.clock;
  auto due = clock.steady() + sync_every;
  while (!draining_ && !transfer_.has_disk_failed() && transfer_.is_behind()) {
    const auto rest = std::max(due - clock.steady(), base::Milliseconds::zero());
    auto wait = clock.wait_in_background(rest);
    const auto waited = co_await waits_.wait(next_sync, std::move(wait));
    // When the program stops, the drain makes the last sync.
    if (!waited || draining_) break;
    due = clock.steady() + sync_every;
    const auto recorded = co_await sync();
    if (recorded) continue;
    transfer_.watermark_failed(recorded.error());
    if (transfer_.has_disk_failed()) failed_();
    // The failure may have taken as long as a call waits for the catalogue's lock.
    due = clock.steady() + sync_every;
  }
  keeping_up_ = false;
}

/// Errors: those of the catalogue.
awaitable<base::Result<void>> PartialWriter::sync() {
  const auto written = transfer_.written_ranges();
  auto sync_file = [file = file_.get()] { return file->sync(); };
  const auto synced = co_await off_loop(ports_.pool.get_executor(), std::move(sync_file));
  if (!synced) {
    transfer_.sync_failed(synced.error());
    failed_();
    co_return base::Result<void>();
  }
  auto keep = [this, written](catalogue::Catalogue& c) { return c.keep_durable(name_, written); };
  const auto kept = co_await calls_(std::move(keep));
  if (kept) transfer_.synced(written);
  co_return kept;
}

void PartialWriter::disk_failed(const base::Error& error) {
  transfer_.disk_failed(error);
  failed_();
}

awaitable<base::Result<void>> PartialWriter::drain() {
  draining_ = true;
  waits_.wake(next_sync);
  co_await tasks_.join();
  if (transfer_.has_disk_failed() || !transfer_.is_behind()) co_return base::Result<void>();
  const auto recorded = co_await sync();
  co_return recorded;
}

}  // namespace vtmirror::agent
