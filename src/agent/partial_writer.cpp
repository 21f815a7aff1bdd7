#include "agent/partial_writer.hpp"

namespace vtmirror::agent {

using boost::asio::awaitable;

namespace {

/// After a crash at most the bytes of this much time are downloaded again.
constexpr base::Milliseconds sync_every{2000};

}  // namespace

PartialWriter::PartialWriter(Ports ports, Blocks& blocks, CatalogueCalls& calls, std::string name,
                             std::unique_ptr<ports::PartialFile> file, core::Transfer& transfer)
    : ports_(ports),
      blocks_(blocks),
      calls_(calls),
      name_(std::move(name)),
      file_(std::move(file)),
      transfer_(transfer),
      tasks_(ports.loop),
      last_sync_(ports.clock.steady()) {}

void PartialWriter::write(FilledBlock filled) { tasks_.spawn(write_one(std::move(filled))); }

awaitable<void> PartialWriter::write_one(FilledBlock filled) {
  const std::span<const std::byte> bytes(filled.block.get() + filled.lead, filled.length);
  auto job = [file = file_.get(), offset = filled.offset, bytes] { return file->write(offset, bytes); };
  const auto written = co_await off_loop(ports_.pool.get_executor(), std::move(job));
  blocks_.give_back(std::move(filled.block));
  if (!written) {
    transfer_.disk_failed(written.error());
    co_return;
  }
  transfer_.written({filled.offset, filled.offset + static_cast<std::int64_t>(filled.length)});
  if (sync_is_due()) tasks_.spawn(sync());
}

bool PartialWriter::sync_is_due() const {
  return !syncing_ && !transfer_.has_disk_failed() && ports_.clock.steady() - last_sync_ >= sync_every;
}

awaitable<void> PartialWriter::sync() {
  syncing_ = true;
  const auto written = transfer_.written_ranges();
  auto sync_file = [file = file_.get()] { return file->sync(); };
  const auto synced = co_await off_loop(ports_.pool.get_executor(), std::move(sync_file));
  if (synced) {
    auto keep = [this, written](catalogue::Catalogue& c) { return c.keep_durable(name_, written); };
    const auto kept = co_await calls_(std::move(keep));
    if (kept)
      transfer_.synced(written);
    else
      transfer_.disk_failed(kept.error());
  } else {
    transfer_.sync_failed(synced.error());
  }
  last_sync_ = ports_.clock.steady();
  syncing_ = false;
}

awaitable<void> PartialWriter::drain() {
  co_await tasks_.join();
  if (!transfer_.has_disk_failed() && transfer_.is_behind()) co_await sync();
}

}  // namespace vtmirror::agent
