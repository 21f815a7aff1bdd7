// Which held file is read again next, and when: each one at least once in a given time, a slice a night.
// Pure. Promises that the oldest reading is renewed first, that a file is left alone for two thirds of its time, and
// that a night's slice exceeds its share by one file at most, unless the time of more files is nearly over. Never looks
// at a disk; the caller must not read while a cycle runs.
#pragma once

#include "vtmirror/core/files.hpp"
#include "vtmirror/core/schedule.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>

namespace vtmirror::core {

/// How fast the daemon reads held files again. A night's hours are enough for 900 GB.
inline constexpr std::int64_t scrub_bytes_a_second = 50'000'000;

/// Local hours in which a slice is read.
inline constexpr std::chrono::minutes scrub_begins{1 * 60};
inline constexpr std::chrono::minutes scrub_ends{6 * 60};

struct ScrubTurn {
  std::optional<std::string> file{};  ///< to be read now; empty if none is due
  base::Time again{};                 ///< when to ask again, if none is due now
};

/// Each of `files` that is whole is read at least `every` so often; zero is never.
/// - At night, the files that were not read for two thirds of that time, oldest reading first, until the night's slice
///   is read: as much as brings all held bytes to their turn in the last third.
/// - At night also each file whose time ends before the night after the next one begins.
/// - At any hour, a file whose time is over: the machine was off at night, or the nights are too short.
/// `left_alone`: files that could not be judged lately. A reading from the future (the clock was set back) does not
/// count.
ScrubTurn next_to_scrub(std::span<const FileRecord> files, std::chrono::seconds every, const Zone& zone, base::Time now,
                        const std::set<std::string>& left_alone = {});

}  // namespace vtmirror::core
