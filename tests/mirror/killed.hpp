// Runs something in a process of its own and kills that process at its n-th system call: every crash point, and no
// chance.
#pragma once

#include <signal.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>

namespace vtmirror::test {

enum class End {
  killed,
  finished,     ///< it had fewer system calls than that
  failed,       ///< it said so itself
  untraceable,  ///< the machine forbids tracing
};

[[noreturn]] inline void run_traced(const std::function<bool()>& run) {
  if (::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) ::_exit(2);
  ::raise(SIGSTOP);
  ::_exit(run() ? 0 : 1);
}

inline End end_of(int status) {
  if (WIFSIGNALED(status)) return End::killed;
  if (WEXITSTATUS(status) == 2) return End::untraceable;
  return WEXITSTATUS(status) == 0 ? End::finished : End::failed;
}

/// Each system call stops the process twice, before and behind it; `stop` counts those stops. A case that skips on
/// `untraceable` says so.
inline End killed_at(int stop, const std::function<bool()>& run) {
  const pid_t child = ::fork();
  if (child == 0) run_traced(run);
  int status = 0;
  // The first stop is the child's own SIGSTOP, so one more.
  for (int seen = 0; ::waitpid(child, &status, 0) == child && WIFSTOPPED(status); ++seen) {
    if (seen == stop || ::ptrace(PTRACE_SYSCALL, child, nullptr, nullptr) != 0) ::kill(child, SIGKILL);
  }
  return end_of(status);
}

}  // namespace vtmirror::test
