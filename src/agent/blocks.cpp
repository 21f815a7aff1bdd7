#include "agent/blocks.hpp"

#include <algorithm>
#include <new>
#include <utility>

namespace vtmirror::agent {

boost::asio::awaitable<Blocks::Block> Blocks::acquire(std::function<bool()> useless) {
  ++asked_;
  if (!has_room()) ++waited_;
  while (!has_room() && !useless()) co_await freed_.wait();
  if (useless()) {
    freed_.notify_one();
    co_return Block();
  }
  auto block = lend(memory());
  if (has_room()) freed_.notify_one();
  co_return block;
}

bool Blocks::were_missing() {
  const int asked = std::exchange(asked_, 0);
  return 4 * std::exchange(waited_, 0) >= std::max(asked, 1);
}

/// A block counts in full from the moment it is acquired, because it is not known how much will come.
bool Blocks::has_room() const {
  const auto used = taken_ + static_cast<std::int64_t>(size_);
  return used <= allowed_ && unrecorded_ + used <= limits_.most;
}

Blocks::Memory Blocks::memory() {
  if (!spare_.empty()) {
    Memory spare = std::move(spare_.back());
    spare_.pop_back();
    return spare;
  }
  Memory fresh(static_cast<std::byte*>(std::aligned_alloc(block_alignment, size_)));
  if (!fresh) throw std::bad_alloc();
  return fresh;
}

Blocks::Block Blocks::lend(Memory memory) {
  taken_ += static_cast<std::int64_t>(size_);
  auto give_back = [lender = std::weak_ptr<Blocks*>(alive_), size = size_](std::byte* lent) {
    Memory back(lent);
    if (const auto blocks = lender.lock()) (*blocks)->give_back(std::move(back), size);
  };
  return {.memory = std::shared_ptr<std::byte>(memory.release(), std::move(give_back)), .size = size_};
}

void Blocks::give_back(Memory memory, std::size_t size) {
  taken_ -= static_cast<std::int64_t>(size);
  if (size == size_) spare_.push_back(std::move(memory));
  free_surplus();
  freed_.notify_one();
}

namespace {

/// Few connections have large blocks, so that the disk gets large writes, which cost less than several small ones. Many
/// have small ones, because of the memory.
std::size_t size_for(int connections) {
  if (connections <= 2) return job_size;
  return connections <= 6 ? job_size / 2 : job_size / 4;
}

}  // namespace

/// Each connection fills one, each file may hold back less than a job, and two jobs run: on a line that is as fast as
/// the disk, the disk is never idle, and a connection seldom waits for a block.
void Blocks::allow(int connections, int files) {
  files_ = std::max(files, 1);
  if (const auto size = size_for(connections); size != size_) {
    spare_.clear();
    size_ = size;
  }
  allowed_ = std::int64_t{connections + files * (in_a_job() - 1) + 2 * in_a_job()} * static_cast<std::int64_t>(size_);
  free_surplus();
  freed_.notify_one();
}

void Blocks::recorded(std::int64_t bytes) {
  unrecorded_ -= bytes;
  freed_.notify_one();
}

void Blocks::free_surplus() {
  const auto size = static_cast<std::int64_t>(size_);
  while (!spare_.empty() && taken_ + std::ssize(spare_) * size > allowed_) spare_.pop_back();
}

}  // namespace vtmirror::agent
