// A command of the program with system calls that strace makes fail: a disk with a fault, at a chosen call.
// Only root can trace a program that forbids it to others.
#pragma once

#include "end_to_end/rig.hpp"
#include "support/skip.hpp"

#include <unistd.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace vtmirror::test {

/// Why no command can be traced here; empty if it can be.
inline std::optional<std::string> cannot_trace() {
  if (::geteuid() != 0) return "only root can trace a process that forbids it";
  return absent("strace", "strace");
}

/// Runs the command to its end. `rules` are strace's: `-P PATH`, `-e inject=...`. What it traces is written to `trace`.
inline Ended run_traced(const Rig& rig, const std::string& command, const std::vector<std::string>& rules,
                        const std::filesystem::path& trace = "/dev/null") {
  std::vector<std::string> line{program("strace").value(), "-f", "-qq", "-o", trace.string()};
  // A search for leaks at the end of a process cannot run beside a tracer, and would end it with an error.
  line.insert(line.end(), {"-E", "ASAN_OPTIONS=detect_stack_use_after_return=1:detect_leaks=0"});
  line.insert(line.end(), rules.begin(), rules.end());
  const auto words = rig.command_line({command});
  line.insert(line.end(), words.begin(), words.end());
  return run(line);
}

}  // namespace vtmirror::test
