// The sentences for failures and problems, built from their parts.
#include "vtmirror/core/problem.hpp"

namespace vtmirror::core {
namespace {

std::string counted(std::int64_t count, const std::string& what) {
  return std::to_string(count) + ' ' + what + (count == 1 ? "" : "s");
}

std::string and_more(const Cause& cause) {
  const auto more = number(cause, "more").value_or(0);
  return more > 0 ? " (and " + std::to_string(more) + " more)" : "";
}

std::string day_with_doubt(const Cause& cause) {
  return std::string(text(cause, "expires_on")) + (number(cause, "estimated").value_or(0) != 0 ? " (estimated)" : "");
}

std::string channel_failing(const Cause& cause) {
  return cause.subject + " could not deliver " + counted(number(cause, "waiting").value_or(0), "notice") +
         ", the oldest of " + std::string(text(cause, "oldest")) + ": " + reason(cause) + and_more(cause);
}

std::string secret_refused(const Cause& cause) {
  const bool past = !text(cause, "expires_on").empty();
  return "the token issuer refuses the client secret: " + cause.detail +
         (past ? "; its day of expiry was " + day_with_doubt(cause) : "") + "; " + support_only;
}

std::string secret_expired(const Cause& cause) {
  if (number(cause, "accepted").value_or(0) == 0)
    return "the client secret expired on " + day_with_doubt(cause) + "; " + support_only;
  return "the client secret is past its day of expiry, " + day_with_doubt(cause) +
         ", and was still accepted: run `vtmirror secret rotate` at once, or correct credentials.secret_expires_on; "
         "once it is refused, " +
         support_only;
}

std::string key_idle(const Cause& cause) {
  const auto last_used = text(cause, "last_used");
  return (last_used.empty() ? "the API key was never used with success since it was first seen on " +
                                  std::string(text(cause, "first_seen"))
                            : "the API key was last used on " + std::string(last_used)) +
         "; the service revokes it after 90 days without use, on " + std::string(text(cause, "revoked_on"));
}

/// A problem from an older catalogue has a finished sentence and no parts.
bool has_parts(const Cause& cause) { return !cause.subject.empty() || !cause.fields.empty(); }

}  // namespace

std::string sentence(const Failure& failure) {
  const auto& cause = failure.cause;
  if (is_stop(failure)) return "stopped before its end; the next one resumes from here";
  switch (failure.kind) {
    case FailureKind::refused_entry:
      return "entry " + cause.subject + " of the listing is refused: " + reason(cause);
    case FailureKind::no_space:
      if (number(cause, "needed")) return "no_space: " + cause.subject + " does not fit: " + reason(cause);
      break;
    case FailureKind::quarantined:
      return cause.subject + " is in the quarantine until tomorrow: " + reason(cause);
    case FailureKind::lost:
    case FailureKind::damaged:
    case FailureKind::other:
      break;
  }
  return sentence(cause);
}

std::string sentence(const std::optional<Failure>& failure) { return failure ? sentence(*failure) : std::string(); }

std::string sentence(const Problem& problem) {
  const auto& cause = problem.cause;
  const auto& code = problem.code;
  if (code == "cycle_failed" && cause == Cause{}) return "the last cycle could not be recorded";
  if (!has_parts(cause)) return reason(cause);
  if (code == "late_delta") return "the delta of " + cause.subject + " was not listed in time";
  if (code == "catalogue_rebuilt")
    return "the catalogue was damaged and made anew; the damaged one is " + cause.subject;
  if (code == "channel_failing") return channel_failing(cause);
  if (code == "secret_refused") return secret_refused(cause);
  if (code == "secret_expired") return secret_expired(cause);
  if (code == "secret_expires") return "the client secret expires on " + day_with_doubt(cause);
  if (code == "key_revoked") return "the service refuses the API key: " + cause.detail;
  if (code == "key_idle") return key_idle(cause);
  if (const auto cuts = number(cause, "cuts"))
    return "the last " + std::to_string(*cuts) +
           " cycles were cut off: the process was killed, or the machine lost its power";
  return sentence(cause) + and_more(cause);
}

}  // namespace vtmirror::core
