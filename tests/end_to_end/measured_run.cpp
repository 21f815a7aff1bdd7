#include "end_to_end/measured_run.hpp"

#include <algorithm>
#include <atomic>
#include <fstream>
#include <thread>

namespace vtmirror::test {
namespace {

/// The most memory that the program has had since it began, in KiB. 0 once it has ended, and while the process is still
/// a copy of this one.
long peak_of(pid_t pid) {
  std::ifstream status("/proc/" + std::to_string(pid) + "/status");
  bool is_program = false;
  for (std::string line; std::getline(status, line);) {
    if (line == "Name:\tvtmirror") is_program = true;
    if (is_program && line.starts_with("VmHWM:")) return std::stol(line.substr(6));
  }
  return 0;
}

}  // namespace

Measured measured_run(const std::vector<std::string>& command_line) {
  Child child(command_line);
  Measured measured;
  const auto pid = child.pid();
  std::atomic<bool> is_over = false;
  std::thread watching([&] {
    while (!is_over) {
      measured.peak = std::max(measured.peak, peak_of(pid));
      std::this_thread::yield();
    }
  });
  measured.ended = child.wait();
  is_over = true;
  watching.join();
  return measured;
}

}  // namespace vtmirror::test
