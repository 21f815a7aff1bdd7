// Writes a file's bytes from the connections' buffers to disk, and advances the watermark.
// Promises that a range is recorded as durable only after a sync that began when its write had ended, and that bytes
// that came wait for this sync about half a second at most, whether more come or not.
#pragma once

#include "agent/blocks.hpp"
#include "agent/off_loop.hpp"
#include "agent/waits.hpp"
#include "agent/wake.hpp"
#include "vtmirror/agent/agent.hpp"
#include "vtmirror/core/transfer.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace vtmirror::agent {

/// A block with bytes in it: the `length` bytes from `lead` on belong at `offset` in the file.
struct FilledBlock {
  Blocks::Block block;
  std::size_t lead = 0;
  std::size_t length = 0;
  std::int64_t offset = 0;
};

class PartialWriter {
 public:
  /// What the writer asks of its owner.
  struct Owner {
    std::function<void()> pass_on{};   ///< calls `write` with the bytes that came, before a sync
    std::function<void()> failed{};    ///< called when the disk failed
    std::function<void()> recorded{};  ///< called when more bytes are durable
  };

  /// Reports writes, syncs and failures to `transfer`, which is borrowed.
  PartialWriter(Ports ports, Blocks& blocks, CatalogueCalls& calls, std::string name,
                std::unique_ptr<ports::PartialFile> file, core::Transfer& transfer, Owner owner);
  ~PartialWriter() { blocks_.recorded(unrecorded_); }
  PartialWriter(const PartialWriter&) = delete;
  PartialWriter& operator=(const PartialWriter&) = delete;

  /// Reports bytes in a block that `write` will receive later: `pass_on` is called for them in time.
  void came();
  /// Returns at once. The bytes are written with the next ones, or at the next sync. The block is released when it is
  /// written. Parts of one block may be passed one after another, while bytes come into the rest.
  void write(FilledBlock filled);

  /// Waits until everything is written, syncs, and records the watermark. No write may be started after it.
  /// Errors: those of the catalogue, which are not reported to `transfer`; then it may be called again.
  boost::asio::awaitable<base::Result<void>> drain();

 private:
  void write_queued();
  boost::asio::awaitable<void> write_all_of(std::vector<FilledBlock> filled, std::int64_t number);
  boost::asio::awaitable<void> until_written();
  boost::asio::awaitable<void> keep_up();
  boost::asio::awaitable<base::Result<void>> until_due(base::Steady due);
  boost::asio::awaitable<base::Result<void>> sync();
  void wrote(core::Range range);
  void disk_failed(const base::Error& error);

  Ports ports_;
  Blocks& blocks_;
  CatalogueCalls& calls_;
  std::string name_;
  std::unique_ptr<ports::PartialFile> file_;
  core::Transfer& transfer_;
  Owner owner_;
  TaskGroup tasks_;
  Waits waits_;
  Wake written_;
  std::vector<FilledBlock> queue_;
  std::set<std::int64_t> writing_;  ///< numbers of jobs that run
  std::int64_t newest_job_ = 0;
  std::int64_t unsynced_ = 0;    ///< bytes written since the last sync began
  std::int64_t unrecorded_ = 0;  ///< bytes written since the last sync that was recorded began
  bool came_ = false;            ///< since the last `pass_on`
  bool keeping_up_ = false;
  bool draining_ = false;
};

}  // namespace vtmirror::agent
