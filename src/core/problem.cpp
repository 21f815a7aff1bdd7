#include "vtmirror/core/problem.hpp"

#include <array>

namespace vtmirror::core {
namespace {

struct Row {
  std::string_view code;
  Severity severity;
  std::string_view remedy;
};

constexpr std::array rows{
    Row{"late_delta", Severity::warning,
        "nothing to do here: the service has not listed today's file; if it stays so for days, ask the service"},
    Row{"cycle_failed", Severity::error,
        "see the reason above; it is tried again by itself, `vtmirror sync` tries now, `vtmirror history` shows more"},
    Row{"missing_files", Severity::error,
        "see `vtmirror coverage` for what is missing and why; `vtmirror sync` tries"
        " again now"},
    Row{"damaged_file", Severity::error,
        "put a copy of it back at its place: the service lists it no longer, so it cannot be fetched again"},
    Row{"quarantined_file", Severity::error,
        "it is fetched again, a bulk file once a day or by `vtmirror sync`; see the reason beside it in"
        " .vtmirror/quarantine, and report it to the service if it stays so"},
    Row{"refused_entry", Severity::warning,
        "the service listed a name or size that is not safe to use: report it to"
        " the service"},
    Row{"low_space", Severity::error,
        "make room under mirror.directory, set mirror.keep_cycles, or lower"
        " mirror.reserve"},
    Row{"secret_expires", Severity::warning, "run `vtmirror secret rotate` before that day"},
    Row{"secret_expired", Severity::error,
        "`vtmirror secret rotate` renews it while it is still accepted; once it is refused, ask the service's support"
        " for a new secret, then run `vtmirror secret set`"},
    Row{"secret_refused", Severity::error,
        "check credentials.client_id and the client secret; if they are right, ask the service's support for a new"
        " secret"},
    Row{"key_idle", Severity::warning, "run `vtmirror sync`: the service revokes a key that is not used for 90 days"},
    Row{"key_revoked", Severity::error, "ask the service's support for a new API key"},
    Row{"channel_failing", Severity::warning,
        "nothing is lost while the channel is set; `vtmirror notify test`, run as the daemon's user, says what it"
        " answers now: put its receiver right, or [notify] or [[hook]] in the settings"},
    Row{"catalogue_rebuilt", Severity::warning,
        "no file of the mirror is lost; check the disk, keep the damaged catalogue for a report, and remove it: that "
        "ends"
        " this problem"},
};

const Row* row_of(std::string_view code) noexcept {
  for (const auto& row : rows) {
    if (row.code == code) return &row;
  }
  return nullptr;
}

}  // namespace

std::string_view name(FailureKind kind) noexcept {
  switch (kind) {
    case FailureKind::refused_entry:
      return "refused_entry";
    case FailureKind::lost:
      return "lost";
    case FailureKind::no_space:
      return "no_space";
    case FailureKind::damaged:
      return "damaged";
    case FailureKind::quarantined:
      return "quarantined";
    case FailureKind::other:
      break;
  }
  return "other";
}

Failure stopped() { return {.cause = {.code = base::Errc::cancelled}}; }

bool is_stop(const Failure& failure) noexcept {
  return failure.cause.code == base::Errc::cancelled && failure.cause.subject.empty();
}

Severity severity(std::string_view problem_code) noexcept {
  const auto* row = row_of(problem_code);
  return row == nullptr ? Severity::warning : row->severity;
}

std::string_view remedy(std::string_view problem_code) noexcept {
  const auto* row = row_of(problem_code);
  return row == nullptr ? "see the daemon's journal: `journalctl -u vtmirror`" : row->remedy;
}

}  // namespace vtmirror::core
