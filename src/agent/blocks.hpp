// The write buffers of all transfers, and the limit on what a crash may cost them.
// Promises that memory use does not depend on the files' sizes, and that the bytes that came and are not recorded as
// durable stay below a limit, over all files. A connection that finds no room waits, so a slow disk slows the network
// down. Belongs to the loop's thread.
#pragma once

#include "agent/wake.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <memory>
#include <vector>

namespace vtmirror::agent {

inline constexpr std::size_t block_alignment = 4096;
/// What one job writes of a file: a way to another thread and back, and a request to the disk, cost as much as the
/// write of a quarter of it.
inline constexpr std::size_t job_size = std::size_t{1} << 20;

/// Limits on received bytes that are not yet recorded as durable, over all files.
struct UnrecordedLimits {
  /// Sync after this many written bytes. On a fast line that is more often than the clock asks for.
  std::int64_t sync_after = std::int64_t{64} << 20;
  /// A used block counts with its full size. The limit leaves room below 256 MiB for what the kernel has received.
  std::int64_t most = std::int64_t{192} << 20;
};

class Blocks {
 public:
  /// `size` bytes at an address that is aligned for direct I/O. The last owner's end gives them back.
  struct Block {
    std::shared_ptr<std::byte> memory{};
    std::size_t size = 0;
    explicit operator bool() const { return memory != nullptr; }
  };

  /// None until some are allowed.
  explicit Blocks(const boost::asio::any_io_executor& loop, UnrecordedLimits limits = {})
      : limits_(limits), freed_(loop) {}
  Blocks(const Blocks&) = delete;
  Blocks& operator=(const Blocks&) = delete;

  /// Waits for a block and for room below the limit. Null if `useless` says so, which is asked after each `wake` too.
  boost::asio::awaitable<Block> acquire(std::function<bool()> useless);
  /// Waiters check again whether they still need a block.
  void wake() { freed_.notify(); }

  /// Sets size and number of the blocks for these connections and files. Waiters receive the new blocks; surplus blocks
  /// and those of another size are freed when returned.
  void allow(int connections, int files);
  /// Blocks of one file that are written together.
  int in_a_job() const { return static_cast<int>(job_size / size_); }

  /// Reports of each writer: bytes were written, and as many were recorded or no longer matter.
  void written(std::int64_t bytes) { unrecorded_ += bytes; }
  void recorded(std::int64_t bytes);
  /// The written bytes of one file after which it should be synced.
  std::int64_t sync_after() const { return limits_.sync_after / files_; }

  /// True if at least a quarter of the requests for a block since the last call had to wait: the disk is too slow for
  /// the connections. A single slow write does not count.
  bool were_missing();

 private:
  struct Free {
    void operator()(std::byte* memory) const { std::free(memory); }
  };
  using Memory = std::unique_ptr<std::byte, Free>;

  bool has_room() const;
  Memory memory();
  Block lend(Memory memory);
  void give_back(Memory memory, std::size_t size);
  void free_surplus();

  UnrecordedLimits limits_;
  Wake freed_;
  std::size_t size_ = job_size;  ///< of each block that is lent from now on
  std::int64_t allowed_ = 0;     ///< bytes
  std::int64_t taken_ = 0;       ///< bytes, full or not
  int files_ = 1;
  std::int64_t unrecorded_ = 0;  ///< written, and not recorded
  int asked_ = 0;                ///< for a block, since `were_missing` was called
  int waited_ = 0;               ///< of those
  std::vector<Memory> spare_;    ///< of that size
  /// A coroutine that ends with the loop may own a block for longer than this lives.
  std::shared_ptr<Blocks*> alive_ = std::make_shared<Blocks*>(this);
};

}  // namespace vtmirror::agent
