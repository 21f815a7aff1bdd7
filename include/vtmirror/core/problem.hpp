// What went wrong, as it is kept and shown: the failures of one cycle, and the problems that stand until they are over.
// Values alone. Never hold a secret or the query of a link.
#pragma once

#include "vtmirror/base/time.hpp"

#include <string>
#include <string_view>

namespace vtmirror::core {

enum class FailureKind {
  refused_entry,  ///< an entry of the listing failed its checks
  lost,           ///< a held file is gone from disk or damaged there, and not listed any more
  no_space,
  damaged,  ///< fetched twice, and whole but wrong both times
  other,    ///< of a listed file: it did not come; without a name: of the cycle itself
};
std::string_view name(FailureKind kind) noexcept;

/// What a cycle could not do, and why.
struct Failure {
  FailureKind kind = FailureKind::other;
  std::string name;    ///< of the file or entry; empty where it is about none
  std::string reason;  ///< without the name
  friend bool operator==(const Failure&, const Failure&) = default;
};

struct Problem {
  std::string code;  ///< "late_delta", "cycle_failed", "low_space", ...
  base::Time since{};
  std::string message;
  int files = 1;  ///< (or channels) that it is about, or was when that was told; not in the JSON
  friend bool operator==(const Problem&, const Problem&) = default;
};

enum class Severity { warning, error };
/// How bad a problem is, by its code; a code that is not known here is a warning.
Severity severity(std::string_view problem_code) noexcept;
/// What to do about a problem, one sentence by its code; never empty.
std::string_view remedy(std::string_view problem_code) noexcept;

}  // namespace vtmirror::core
