// What a piece of work costs: bytes read, processor time without a question, memory. By the kernel's own counts, which
// are the same on a machine that does other things too.
#pragma once

#include <malloc.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <fstream>
#include <functional>
#include <optional>
#include <string>

namespace vtmirror::test {

/// Bytes that this thread has had from read(2) and its like; empty if the kernel does not count them.
inline std::optional<std::int64_t> bytes_read() {
  std::ifstream counts("/proc/thread-self/io");
  std::string key;
  for (std::int64_t value = 0; counts >> key >> value;)
    if (key == "rchar:") return value;
  return std::nullopt;
}

/// This thread's processor time, from one question of a long work to the next.
class BetweenQuestions {
 public:
  void ask() {
    const auto now = worked();
    longest_ = std::max(longest_, now - since_);
    since_ = now;
  }
  std::chrono::nanoseconds longest() {
    ask();
    return longest_;
  }

 private:
  static std::chrono::nanoseconds worked() {
    timespec time{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
  }
  std::chrono::nanoseconds since_ = worked(), longest_{};
};

/// KiB by which the memory of a process grows at most while it does `work`, in a process of its own, whose peak nothing
/// else has raised. Empty if there is no such process.
inline std::optional<long> added_memory(const std::function<void()>& work) {
  int ends[2];
  if (::pipe(ends) != 0) return std::nullopt;
  // What is free in the heap would take the work's memory and hide it.
  ::malloc_trim(0);
  const auto peak = [] {
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
  };
  const pid_t child = ::fork();
  if (child == 0) {
    const auto before = peak();
    work();
    const long added = peak() - before;
    ::_exit(::write(ends[1], &added, sizeof added) == sizeof added ? 0 : 1);
  }
  ::close(ends[1]);
  long added = 0;
  const bool is_read = ::read(ends[0], &added, sizeof added) == sizeof added;
  ::close(ends[0]);
  int status = 0;
  const bool is_over = child > 0 && ::waitpid(child, &status, 0) == child && status == 0;
  return is_read && is_over ? std::optional(added) : std::nullopt;
}

}  // namespace vtmirror::test
