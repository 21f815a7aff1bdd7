// What is wrong until it is over, as it is kept and shown.
// Only values; `report` makes the sentences when they are shown. Never holds a secret or the query of a link.
#pragma once

#include "vtmirror/base/time.hpp"
#include "vtmirror/core/cause.hpp"

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

namespace vtmirror::core {

enum class Severity { warning, error };

/// What can be wrong, each explained under PROBLEMS in vtmirror(8).
enum class ProblemCode {
  late_delta,
  cycle_failed,
  empty_listing,
  missing_files,
  damaged_file,
  quarantined_file,
  refused_entry,
  low_space,
  secret_expires,
  secret_expired,
  secret_refused,
  key_idle,
  key_revoked,
  channel_failing,
  catalogue_rebuilt,
  settings_refused,
  repair_failed,
  disk_forecast,
  consumer_behind,
  catalogue_unreadable,
};

/// What is decided by a code alone.
struct ProblemKind {
  ProblemCode code{};
  std::string_view name{};  ///< as it is kept, sent and shown
  Severity severity{};
  bool is_announced = true;  ///< reported when it begins and when it is over
};

/// In the order of the codes.
inline constexpr std::array problem_kinds{
    ProblemKind{ProblemCode::late_delta, "late_delta", Severity::warning},
    ProblemKind{ProblemCode::cycle_failed, "cycle_failed", Severity::error},
    ProblemKind{ProblemCode::empty_listing, "empty_listing", Severity::error},
    ProblemKind{ProblemCode::missing_files, "missing_files", Severity::error},
    ProblemKind{ProblemCode::damaged_file, "damaged_file", Severity::error},
    ProblemKind{ProblemCode::quarantined_file, "quarantined_file", Severity::error},
    ProblemKind{ProblemCode::refused_entry, "refused_entry", Severity::warning},
    ProblemKind{ProblemCode::low_space, "low_space", Severity::error},
    // Its warnings report it, once each.
    ProblemKind{ProblemCode::secret_expires, "secret_expires", Severity::warning, false},
    ProblemKind{ProblemCode::secret_expired, "secret_expired", Severity::error},
    ProblemKind{ProblemCode::secret_refused, "secret_refused", Severity::error},
    ProblemKind{ProblemCode::key_idle, "key_idle", Severity::warning},
    ProblemKind{ProblemCode::key_revoked, "key_revoked", Severity::error},
    ProblemKind{ProblemCode::channel_failing, "channel_failing", Severity::warning},
    ProblemKind{ProblemCode::catalogue_rebuilt, "catalogue_rebuilt", Severity::warning},
    ProblemKind{ProblemCode::settings_refused, "settings_refused", Severity::warning},
    ProblemKind{ProblemCode::repair_failed, "repair_failed", Severity::error},
    ProblemKind{ProblemCode::disk_forecast, "disk_forecast", Severity::warning},
    ProblemKind{ProblemCode::consumer_behind, "consumer_behind", Severity::warning},
    ProblemKind{ProblemCode::catalogue_unreadable, "catalogue_unreadable", Severity::error},
};

constexpr const ProblemKind& kind_of(ProblemCode code) noexcept {
  return problem_kinds[static_cast<std::size_t>(code)];
}
constexpr std::string_view name(ProblemCode code) noexcept { return kind_of(code).name; }
constexpr Severity severity(ProblemCode code) noexcept { return kind_of(code).severity; }
/// The code of that name; nothing for one of another version.
std::optional<ProblemCode> problem_code(std::string_view name) noexcept;

struct Problem {
  ProblemCode code{};
  base::Time since{};
  Cause cause{};
  int files = 1;  ///< affected files (or channels), or the number last reported; not in the JSON
  friend bool operator==(const Problem&, const Problem&) = default;
};

/// The problem that a failure is.
ProblemCode problem_of(const Failure& failure) noexcept;

}  // namespace vtmirror::core
