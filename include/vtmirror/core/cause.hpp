// What went wrong, as values: the error code, what it is about, what a sentence for people needs in addition; and the
// failures of one cycle, each with its cause.
// Only values; `report` makes the sentence when it is shown. Never holds a secret or the query of a link.
#pragma once

#include "vtmirror/base/result.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace vtmirror::core {

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

/// What the error has beside code, text and status is kept in fields: `request`, `service_code`, `diagnosis`, `why`,
/// and of a shortage `needed`, `free` and `reserve`.
Cause cause_of(const base::Error& error, std::string subject = {});
/// The same about the error's own subject, which may be none. A request is a field, and no subject.
Cause whole_cause_of(const base::Error& error);
/// The error whose cause this is, with everything that `cause_of` keeps of it. A cause that no `Error` made counts as
/// `protocol`.
base::Error error_of(const Cause& cause);
/// The code of the service or the issuer; empty if there is none.
std::string_view service_code(const Cause& cause) noexcept;
/// What this program found out about it.
base::Diagnosis diagnosis(const Cause& cause) noexcept;
/// Only why it failed, if the detail also names what did: `base::Error::why`. Otherwise empty, as in causes of
/// older versions.
std::string_view why(const Cause& cause) noexcept;

/// The cause for quarantining a file whose check has ended the process `times` times. It is not checked again.
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
/// The kind of that name; nothing if there is none.
std::optional<FailureKind> failure_kind(std::string_view name) noexcept;

/// What a cycle could not do, and why. The cause's subject is the file or entry; empty if it is about none.
struct Failure {
  FailureKind kind = FailureKind::other;
  Cause cause{};
  friend bool operator==(const Failure&, const Failure&) = default;
};

/// The end of a cycle that was asked to stop: not a fault; the next start continues it.
Failure stopped();
bool is_stop(const Failure& failure) noexcept;

}  // namespace vtmirror::core
