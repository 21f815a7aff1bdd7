// A fixed number of write buffers for all transfers: memory use does not depend on the files' sizes.
// A lane that finds none waits, so a slow disk slows the network down.
#pragma once

#include "agent/wake.hpp"

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <vector>

namespace vtmirror::agent {

inline constexpr std::size_t block_size = std::size_t{256} << 10;
inline constexpr std::size_t block_alignment = 4096;

class Blocks {
 public:
  struct Free {
    void operator()(std::byte* block) const { std::free(block); }
  };
  /// `block_size` bytes at an address that is aligned for direct I/O.
  using Block = std::unique_ptr<std::byte, Free>;

  Blocks(const boost::asio::any_io_executor& loop, int count) : freed_(loop), left_(count) {}

  boost::asio::awaitable<Block> take() {
    while (spare_.empty() && left_ == 0) co_await freed_.wait();
    if (spare_.empty()) {
      --left_;
      co_return allocate();
    }
    Block block = std::move(spare_.back());
    spare_.pop_back();
    co_return block;
  }

  void give_back(Block block) {
    spare_.push_back(std::move(block));
    freed_.notify();
  }

 private:
  static Block allocate() {
    auto* memory = static_cast<std::byte*>(std::aligned_alloc(block_alignment, block_size));
    if (memory == nullptr) throw std::bad_alloc();
    return Block(memory);
  }

  Wake freed_;
  int left_;
  std::vector<Block> spare_;
};

}  // namespace vtmirror::agent
