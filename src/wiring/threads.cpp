#include "wiring/threads.hpp"

#include <utility>

namespace vtmirror::wiring {

/// The pool has outstanding work until `join`, so no thread of it ends before that, however early it begins.
Threads::Threads(std::size_t count, const std::function<void()>& first) {
  threads_.reserve(count);
  try {
    for (std::size_t n = 0; n < count; ++n)
      threads_.emplace_back([this, first] {
        if (first) first();
        pool_.attach();
      });
  } catch (...) {
    join();
    throw;
  }
}

void Threads::join() {
  if (threads_.empty()) return;
  pool_.wait();
  for (auto& thread : std::exchange(threads_, {})) thread.join();
}

}  // namespace vtmirror::wiring
