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

/// A block counts in full from the moment it is taken, because it is not known how much will come.
bool Blocks::has_room() const {
  const auto used = std::int64_t{taken_ + 1} * static_cast<std::int64_t>(block_size);
  return taken_ < allowed_ && unrecorded_ + used <= limits_.most;
}

Blocks::Memory Blocks::memory() {
  if (!spare_.empty()) {
    Memory spare = std::move(spare_.back());
    spare_.pop_back();
    return spare;
  }
  Memory fresh(static_cast<std::byte*>(std::aligned_alloc(block_alignment, block_size)));
  if (!fresh) throw std::bad_alloc();
  return fresh;
}

Blocks::Block Blocks::lend(Memory memory) {
  ++taken_;
  auto give_back = [lender = std::weak_ptr<Blocks*>(alive_)](std::byte* lent) {
    Memory back(lent);
    if (const auto blocks = lender.lock()) (*blocks)->give_back(std::move(back));
  };
  return Block(memory.release(), std::move(give_back));
}

void Blocks::give_back(Memory memory) {
  --taken_;
  spare_.push_back(std::move(memory));
  free_surplus();
  freed_.notify_one();
}

/// Each connection fills one, each file may hold back less than a job, and one job runs. On a slow disk two jobs run
/// while the connections wait.
void Blocks::allow(int connections, int files) {
  allowed_ = connections + files * (blocks_in_a_job - 1) + blocks_in_a_job;
  files_ = std::max(files, 1);
  free_surplus();
  freed_.notify_one();
}

void Blocks::recorded(std::int64_t bytes) {
  unrecorded_ -= bytes;
  freed_.notify_one();
}

void Blocks::free_surplus() {
  while (!spare_.empty() && taken_ + std::ssize(spare_) > allowed_) spare_.pop_back();
}

}  // namespace vtmirror::agent
