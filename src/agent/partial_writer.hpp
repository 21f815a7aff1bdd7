// Writes a file's bytes from the lanes' buffers to disk, and advances the watermark.
// Promises that a range is recorded as durable only after a sync that began when its write had ended, and that this
// sync begins within about a second, whether more bytes come or not. A lane waits for it only if no buffer is free.
#pragma once

#include "agent/off_loop.hpp"
#include "agent/waits.hpp"
#include "agent/wake.hpp"
#include "vtmirror/agent/agent.hpp"
#include "vtmirror/core/transfer.hpp"

#include <cstddef>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace vtmirror::agent {

// Write buffers for all transfers, as many as their connections need: memory use does not depend on the files' sizes.
// A lane that finds none waits, so a slow disk slows the network down.

inline constexpr std::size_t block_size = std::size_t{256} << 10;
inline constexpr std::size_t block_alignment = 4096;

class Blocks {
 public:
  struct Free {
    void operator()(std::byte* block) const { std::free(block); }
  };
  /// `block_size` bytes at an address that is aligned for direct I/O.
  using Block = std::unique_ptr<std::byte, Free>;

  /// None until some are allowed.
  explicit Blocks(const boost::asio::any_io_executor& loop) : freed_(loop) {}

  boost::asio::awaitable<Block> take() {
    while (taken_ >= allowed_) {
      were_missing_ = true;
      co_await freed_.wait();
    }
    ++taken_;
    if (spare_.empty()) co_return allocate();
    Block block = std::move(spare_.back());
    spare_.pop_back();
    co_return block;
  }

  void give_back(Block block) {
    --taken_;
    spare_.push_back(std::move(block));
    free_surplus();
    freed_.notify();
  }

  /// So many from now on: those who wait for more are served, and what is too much is freed when it comes back.
  void allow(int count) {
    allowed_ = count;
    free_surplus();
    freed_.notify();
  }

  /// Whether somebody has had to wait for a block since the last call.
  bool were_missing() { return std::exchange(were_missing_, false); }

 private:
  static Block allocate() {
    auto* memory = static_cast<std::byte*>(std::aligned_alloc(block_alignment, block_size));
    if (memory == nullptr) throw std::bad_alloc();
    return Block(memory);
  }

  void free_surplus() {
    while (!spare_.empty() && taken_ + std::ssize(spare_) > allowed_) spare_.pop_back();
  }

  Wake freed_;
  int allowed_ = 0;
  int taken_ = 0;
  bool were_missing_ = false;
  std::vector<Block> spare_;
};

/// A block with bytes in it: the `length` bytes from `lead` on belong at `offset` in the file.
struct FilledBlock {
  Blocks::Block block;
  std::size_t lead = 0;
  std::size_t length = 0;
  std::int64_t offset = 0;
};

class PartialWriter {
 public:
  /// Reports writes, syncs and failures to `transfer`, which is borrowed, and then calls `failed` after a failure.
  PartialWriter(Ports ports, Blocks& blocks, CatalogueCalls& calls, std::string name,
                std::unique_ptr<ports::PartialFile> file, core::Transfer& transfer, std::function<void()> failed);

  /// Starts a write and returns at once. The block returns to its pool when it is written.
  void write(FilledBlock filled);

  /// Waits for the writes that were started, syncs, and records the watermark. No write may be started after it.
  /// Errors: those of the catalogue, which are not reported to `transfer`; then it may be called again.
  boost::asio::awaitable<base::Result<void>> drain();

 private:
  boost::asio::awaitable<void> write_one(FilledBlock filled);
  boost::asio::awaitable<void> keep_up();
  boost::asio::awaitable<base::Result<void>> sync();
  void disk_failed(const base::Error& error);

  Ports ports_;
  Blocks& blocks_;
  CatalogueCalls& calls_;
  std::string name_;
  std::unique_ptr<ports::PartialFile> file_;
  core::Transfer& transfer_;
  std::function<void()> failed_;
  TaskGroup tasks_;
  Waits waits_;
  bool keeping_up_ = false;
  bool draining_ = false;
};

}  // namespace vtmirror::agent
