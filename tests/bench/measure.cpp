// Runs a command and writes to FILE what it cost: the microseconds until it ended, the microseconds of processor time,
// user and system together, and the peak of its memory in KiB.
//
//   measure FILE COMMAND [ARGUMENT...]      exits as the command does; 128 and more if a signal ended it
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <chrono>
#include <cstdio>

namespace {

long long microseconds(const timeval& time) { return 1'000'000LL * time.tv_sec + time.tv_usec; }

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  std::FILE* figures = std::fopen(argv[1], "we");
  if (figures == nullptr) return 2;
  const auto began = std::chrono::steady_clock::now();
  pid_t child = 0;
  if (::posix_spawnp(&child, argv[2], nullptr, nullptr, argv + 2, environ) != 0) return 127;
  int status = 0;
  rusage used{};
  if (::wait4(child, &status, 0, &used) != child) return 2;
  const auto took = std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - began);
  std::fprintf(figures, "%lld %lld %ld\n", static_cast<long long>(took.count()),
               microseconds(used.ru_utime) + microseconds(used.ru_stime), used.ru_maxrss);
  if (std::fclose(figures) != 0) return 2;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
