// The programs that this room has started and not yet reaped, so that orphans can be distinguished from them.
// Promises that a program is known before an orphan can be reaped: the reaping waits for a start that is under way.
#pragma once

#include <sys/types.h>

#include <mutex>
#include <set>

namespace vtmirror::notify {

class OwnChildren {
 public:
  /// Those of this process.
  static OwnChildren& all();

  /// Nothing is reaped by `reap_orphans` while this is held.
  std::unique_lock<std::mutex> hold() { return std::unique_lock(mutex_); }
  /// While held.
  void add(pid_t child) { children_.insert(child); }
  bool contains(pid_t child) const { return children_.contains(child); }
  /// After the child was reaped.
  void remove(pid_t child);

 private:
  std::mutex mutex_;
  std::set<pid_t> children_;
};

}  // namespace vtmirror::notify
