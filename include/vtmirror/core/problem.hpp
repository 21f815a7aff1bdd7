// What went wrong, as it is kept and shown: the failures of one cycle, and the problems that stand until they are over.
// Values alone; the sentences are made of them when they are shown.
#pragma once

#include "vtmirror/base/time.hpp"
#include "vtmirror/core/cause.hpp"

#include <string>
#include <string_view>

namespace vtmirror::core {

enum class FailureKind {
  refused_entry,  ///< an entry of the listing failed its checks
  lost,           ///< a held file is gone from disk or damaged there, and not listed any more
  no_space,
  damaged,      ///< fetched twice, and whole but wrong both times
  quarantined,  ///< was damaged before, and is left alone until the next day
  other,        ///< of a listed file: it did not come; without a subject: of the cycle itself
};
std::string_view name(FailureKind kind) noexcept;

/// What a cycle could not do, and why. The cause's subject is the file or entry; empty where it is about none.
struct Failure {
  FailureKind kind = FailureKind::other;
  Cause cause{};
  friend bool operator==(const Failure&, const Failure&) = default;
};
/// As the history shows it: "v1/a.zip: timed_out: no byte from ...".
std::string sentence(const Failure& failure);
/// The same; an empty string if there is none.
std::string sentence(const std::optional<Failure>& failure);

/// The end of a cycle that was asked to stop: not a fault; the next start continues it.
Failure stopped();
bool is_stop(const Failure& failure) noexcept;

struct Problem {
  std::string code;  ///< "late_delta", "cycle_failed", "low_space", ...
  base::Time since{};
  Cause cause{};
  int files = 1;  ///< affected files (or channels), or the number last reported; not in the JSON
  friend bool operator==(const Problem&, const Problem&) = default;
};
/// What is wrong, in one sentence.
std::string sentence(const Problem& problem);

/// What the sentence for a secret that is refused or expired ends in: no rotation helps any more.
inline constexpr char support_only[] =
    "only a support request to the service helps now: ask for a new secret, then run `vtmirror secret set`";

enum class Severity { warning, error };
/// How bad a problem is, by its code; a code that is not known here is a warning.
Severity severity(std::string_view problem_code) noexcept;
/// What to do about a problem, one sentence by its code; never empty.
std::string_view remedy(std::string_view problem_code) noexcept;

}  // namespace vtmirror::core
