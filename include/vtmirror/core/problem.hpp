// What went wrong, as it is kept and shown: the failures of one cycle, and the problems that stand until they are over.
// Both have a cause, which comes first here.
// Only values; `report` makes the sentences when they are shown. Never holds a secret or the query of a link.
#pragma once

#include "vtmirror/base/result.hpp"
#include "vtmirror/base/time.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace vtmirror::core {

// The parts of a failure: the error code, what it is about, and what a sentence for people needs in addition.
// Only values; `report` builds the sentence when it is shown. They never hold a secret or the query of a link.

/// A detail with a name: "needed", "waiting", "expires_on". Small letters and _.
struct Field {
  std::string key;
  std::variant<std::string, std::int64_t> value;
  friend bool operator==(const Field&, const Field&) = default;
};

/// {"needed": 5000, "free": 12}
std::string fields_json(const std::vector<Field>& fields);
/// What `fields_json` wrote. Errors: protocol.
base::Result<std::vector<Field>> parse_fields(std::string_view json);

struct Cause {
  std::optional<base::Errc> code{};  ///< empty if no `Error` caused it
  std::string subject{};             ///< the file, address, setting, channel or day; may be empty
  std::string detail{};              ///< the text that came with it, without code and subject
  int status = 0;                    ///< HTTP status if there was one, else 0
  std::vector<Field> fields{};
  friend bool operator==(const Cause&, const Cause&) = default;
};

/// What the error has beside code, text and status is kept in fields: `request`, `service_code`, `diagnosis`, `why`.
Cause cause_of(const base::Error& error, std::string subject = {});
/// The code of the service or the issuer; empty if there is none.
std::string_view service_code(const Cause& cause) noexcept;
/// What this program found out about it.
base::Diagnosis diagnosis(const Cause& cause) noexcept;
/// Only why it failed, where the detail also names what did: `base::Error::why`. Otherwise empty, as in causes of
/// older versions.
std::string_view why(const Cause& cause) noexcept;

/// Why a file is quarantined in whose check the process died so often: it is not checked again.
Cause deadly_check(int times);
/// Whether a cause is one that `deadly_check` made.
bool is_deadly(const Cause& cause);

/// The field with that name; empty if there is none of that type.
std::string_view text(const Cause& cause, std::string_view key) noexcept;
std::optional<std::int64_t> number(const Cause& cause, std::string_view key) noexcept;

enum class FailureKind {
  refused_entry,  ///< an entry of the listing failed its checks
  lost,           ///< a held file is gone from disk or damaged there, and not listed any more
  no_space,
  damaged,      ///< fetched twice, and whole but wrong both times
  quarantined,  ///< was damaged before, and is left alone until the next day
  other,        ///< of a listed file: it could not be downloaded; without a subject: of the cycle itself
};
std::string_view name(FailureKind kind) noexcept;
/// The kind of that name; nothing where there is none.
std::optional<FailureKind> failure_kind(std::string_view name) noexcept;

/// What a cycle could not do, and why. The cause's subject is the file or entry; empty where it is about none.
struct Failure {
  FailureKind kind = FailureKind::other;
  Cause cause{};
  friend bool operator==(const Failure&, const Failure&) = default;
};

/// The end of a cycle that was asked to stop: not a fault; the next start continues it.
Failure stopped();
bool is_stop(const Failure& failure) noexcept;

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
