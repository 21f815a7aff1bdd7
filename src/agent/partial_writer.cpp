#include "agent/partial_writer.hpp"

#include <algorithm>
#include <utility>

namespace vtmirror::agent {

using boost::asio::awaitable;

namespace {

/// After a crash at most the bytes of a second are downloaded again: this interval, 150 ms for which the kernel may
/// hold received bytes back, and the time of the sync and its record.
constexpr base::Milliseconds sync_every{500};
constexpr int next_sync = 0;  ///< the only wait

base::Result<void> write_all(ports::PartialFile& file, const std::vector<FilledBlock>& filled) {
  for (const auto& each : filled) {
    auto written = file.write(each.offset, std::span(each.block.memory.get() + each.lead, each.length));
    if (!written) return written;
  }
  return {};
}

}  // namespace

PartialWriter::PartialWriter(Ports ports, Blocks& blocks, CatalogueCalls& calls, std::string name,
                             std::unique_ptr<ports::PartialFile> file, core::Transfer& transfer, Owner owner)
    : ports_(ports),
      blocks_(blocks),
      calls_(calls),
      name_(std::move(name)),
      file_(std::move(file)),
      transfer_(transfer),
      owner_(std::move(owner)),
      tasks_(ports.loop),
      waits_(ports.loop),
      written_(ports.loop) {}

void PartialWriter::came() {
  came_ = true;
  if (!draining_ && !std::exchange(keeping_up_, true)) tasks_.spawn(keep_up());
}

void PartialWriter::write(FilledBlock filled) {
  queue_.push_back(std::move(filled));
  if (std::ssize(queue_) >= blocks_.in_a_job()) write_queued();
}

void PartialWriter::write_queued() {
  if (queue_.empty()) return;
  writing_.insert(++newest_job_);
  tasks_.spawn(write_all_of(std::exchange(queue_, {}), newest_job_));
}

awaitable<void> PartialWriter::write_all_of(std::vector<FilledBlock> filled, std::int64_t number) {
  auto job = [file = file_.get(), &filled] { return write_all(*file, filled); };
  const auto written = co_await off_loop(ports_.pool.get_executor(), std::move(job));
  if (!written) disk_failed(written.error());
  for (auto& each : filled) {
    each.block = {};
    if (written) wrote({each.offset, each.offset + static_cast<std::int64_t>(each.length)});
  }
  writing_.erase(number);
  written_.notify();
}

void PartialWriter::wrote(core::Range range) {
  transfer_.written(range);
  unsynced_ += range.size();
  unrecorded_ += range.size();
  blocks_.written(range.size());
  if (unsynced_ >= blocks_.sync_after()) waits_.wake(next_sync);
}

/// Waits until everything that was passed before this call is written.
awaitable<void> PartialWriter::until_written() {
  write_queued();
  const auto newest = newest_job_;
  while (!writing_.empty() && *writing_.begin() <= newest) co_await written_.wait();
}

/// Starts with the first bytes that come while none wait for a sync, and ends when every written byte is synced. Bytes
/// that come during a sync are due half a second after that sync began.
awaitable<void> PartialWriter::keep_up() {
  auto& clock = ports_.clock;
  auto due = clock.steady() + sync_every;
  while (!draining_ && !transfer_.has_disk_failed() && (came_ || transfer_.is_behind())) {
    const auto waited = co_await until_due(due);
    // When the program stops, the drain makes the last sync.
    if (!waited || draining_) break;
    due = clock.steady() + sync_every;
    came_ = false;
    owner_.pass_on();
    co_await until_written();
    if (transfer_.has_disk_failed() || !transfer_.is_behind()) continue;
    const auto recorded = co_await sync();
    if (recorded) continue;
    transfer_.watermark_failed(recorded.error());
    if (transfer_.has_disk_failed()) owner_.failed();
    // The failure may have taken as long as a call waits for the catalogue's lock.
    due = clock.steady() + sync_every;
  }
  keeping_up_ = false;
}

/// Ends before `due` when many bytes are written. Errors: those of the clock.
awaitable<base::Result<void>> PartialWriter::until_due(base::Steady due) {
  if (unsynced_ >= blocks_.sync_after()) co_return base::Result<void>();
  auto& clock = ports_.clock;
  auto wait = clock.wait_in_background(std::max(due - clock.steady(), base::Milliseconds::zero()));
  const auto waited = co_await waits_.wait(next_sync, std::move(wait));
  if (!waited) co_return waited.error();
  co_return base::Result<void>();
}

/// Errors: those of the catalogue.
awaitable<base::Result<void>> PartialWriter::sync() {
  const auto written = transfer_.written_ranges();
  const auto covered = unrecorded_;
  unsynced_ = 0;
  auto sync_file = [file = file_.get()] { return file->sync(); };
  const auto synced = co_await off_loop(ports_.pool.get_executor(), std::move(sync_file));
  if (!synced) {
    transfer_.sync_failed(synced.error());
    owner_.failed();
    co_return base::Result<void>();
  }
  auto keep = [this, written](catalogue::Catalogue& c) { return c.keep_durable(name_, written); };
  const auto kept = co_await calls_(std::move(keep));
  if (!kept) co_return kept;
  transfer_.synced(written);
  unrecorded_ -= covered;
  blocks_.recorded(covered);
  owner_.recorded();
  co_return kept;
}

void PartialWriter::disk_failed(const base::Error& error) {
  transfer_.disk_failed(error);
  owner_.failed();
}

awaitable<base::Result<void>> PartialWriter::drain() {
  draining_ = true;
  waits_.wake(next_sync);
  write_queued();
  co_await tasks_.join();
  if (transfer_.has_disk_failed() || !transfer_.is_behind()) co_return base::Result<void>();
  const auto recorded = co_await sync();
  co_return recorded;
}

}  // namespace vtmirror::agent
