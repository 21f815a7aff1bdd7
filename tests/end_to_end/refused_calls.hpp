// A program of which the kernel refuses one system call, or each from that one on: a disk that fails, a disk that is
// full, a process that has no descriptor left, a signal that interrupts a call, a write that writes only half.
// Promises that the calls of all threads are counted in one sequence, those of every library included, and that the
// program's own children are left alone. Needs root, since the program forbids others to look into it.
#pragma once

#include "end_to_end/child.hpp"

#include <array>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace vtmirror::test {

enum class Refusal { io, no_space, no_descriptor, interrupted, half_written };
inline constexpr std::array refusals{Refusal::io, Refusal::no_space, Refusal::no_descriptor, Refusal::interrupted,
                                     Refusal::half_written};
std::string_view name(Refusal refusal);  ///< as errno is named: "EIO"; "half" is a write of half of the bytes

/// Whether only the call of that number is refused, or every later one too.
enum class Lasts { once, for_ever };

struct Trial {
  Ended ended;
  long calls = 0;       ///< that could have been refused
  std::string refused;  ///< the first one that was, for people: "pwrite64 catalogue.db-wal"; empty if none was
};

/// For a program that does not end by itself: it is asked to (SIGTERM) as soon as it has printed one of these to
/// stderr, or after twenty seconds in which it printed none. Empty for any other program.
using StopAfter = std::vector<std::string>;

/// Runs `command` to its end, and refuses the call of number `at` among those that a kernel may refuse so; none for 0.
/// All but EMFILE concern what lies below `place`. A program that takes longer than two minutes is killed.
Trial run_refusing(const std::vector<std::string>& command, const std::filesystem::path& place, Refusal refusal,
                   long at, Lasts lasts, const StopAfter& stop_after = {});

}  // namespace vtmirror::test
