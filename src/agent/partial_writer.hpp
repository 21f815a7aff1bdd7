// Writes a file's bytes from the lanes' buffers to disk, and advances the watermark.
// Promises that a range is recorded as durable only after a sync that began when its write had ended. A lane waits for
// it only if no buffer is free.
#pragma once

#include "agent/blocks.hpp"
#include "agent/ledger.hpp"
#include "agent/task_group.hpp"
#include "vtmirror/agent/agent.hpp"
#include "vtmirror/core/transfer.hpp"

#include <memory>
#include <string>

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
  /// Reports writes, syncs and failures to `transfer`, which is borrowed.
  PartialWriter(Parts parts, Blocks& blocks, Ledger& ledger, std::string name, std::unique_ptr<ports::PartialFile> file,
                core::Transfer& transfer);

  /// Starts a write and returns at once. The block returns to its pool when it is written.
  void write(FilledBlock filled);

  /// Waits for the writes that were started, syncs, and records the watermark.
  boost::asio::awaitable<void> drain();

 private:
  boost::asio::awaitable<void> write_one(FilledBlock filled);
  boost::asio::awaitable<void> sync();
  bool sync_is_due() const;

  Parts parts_;
  Blocks& blocks_;
  Ledger& ledger_;
  std::string name_;
  std::unique_ptr<ports::PartialFile> file_;
  core::Transfer& transfer_;
  TaskGroup tasks_;
  bool syncing_ = false;
  base::Steady last_sync_{};
};

}  // namespace vtmirror::agent
