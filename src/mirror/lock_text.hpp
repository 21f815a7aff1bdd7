// What the file of a lock says of the process that holds it: one line, "sync 4711 2026-11-18T08:00:00Z". Pure.
// Also reads what an older version wrote: "vtmirror sync, process 4711, since 2026-11-18T08:00:00Z".
#pragma once

#include "vtmirror/base/time.hpp"
#include "vtmirror/mirror/directory.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace vtmirror::mirror {

struct LockText {
  Holder holder = Holder::unknown;
  std::int64_t process = 0;
  base::Time since{};
  friend bool operator==(const LockText&, const LockText&) = default;
};

/// The line, with its end.
std::string written(const LockText& text);
/// What either version wrote, `unknown` for the word of a command that this version does not have. Empty if a process
/// is not named: the holder may not have written yet, or not everything on a full disk.
std::optional<LockText> read_lock_text(std::string_view line);
/// "vtmirror sync, process 4711, since 2026-11-18T08:00:00Z", or "another process".
std::string in_words(const std::optional<LockText>& text);

}  // namespace vtmirror::mirror
