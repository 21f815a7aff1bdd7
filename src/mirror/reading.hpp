// How far the check that goes along with a file's arrival has read it: by this, a write decides whether its bytes
// should stay in the page cache.
#pragma once

#include <atomic>
#include <cstdint>

namespace vtmirror::mirror {

/// One thread says where the check is, others ask.
class Reading {
 public:
  void is_at(std::int64_t offset) { offset_.store(offset, std::memory_order_relaxed); }
  void has_ended() { is_at(nobody); }
  /// Whether bytes at `offset` will be read before the page cache needs their memory for others.
  bool will_soon_read(std::int64_t offset) const {
    const auto at = offset_.load(std::memory_order_relaxed);
    return at != nobody && offset < at + soon;
  }

 private:
  static constexpr std::int64_t nobody = -1;
  static constexpr std::int64_t soon = std::int64_t{256} << 20;
  std::atomic<std::int64_t> offset_ = nobody;
};

}  // namespace vtmirror::mirror
