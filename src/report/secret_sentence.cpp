#include "report/secret_sentence.hpp"

#include "report/request_advice.hpp"
#include "vtmirror/core/expiry.hpp"
#include "vtmirror/core/request.hpp"
#include "vtmirror/report/sentence.hpp"

#include <chrono>

namespace vtmirror::report {
namespace {

std::string day_with_doubt(const core::Cause& cause) {
  return std::string(text(cause, "expires_on")) + (number(cause, "estimated").value_or(0) != 0 ? " (estimated)" : "");
}

}  // namespace

bool is_past_expiry(const core::Cause& cause) { return !text(cause, "expires_on").empty(); }

std::string secret_refused(const core::Cause& cause) {
  return cause.detail + (is_past_expiry(cause) ? "; the secret's expiry date was " + day_with_doubt(cause) : "");
}

std::string secret_expires(const core::Cause& cause) { return "the client secret expires on " + day_with_doubt(cause); }

std::string secret_expired(const core::Cause& cause) {
  if (number(cause, "accepted").value_or(0) == 0)
    return "the client secret expired on " + day_with_doubt(cause) + "; " + support_only;
  return "the client secret is past its expiry date, " + day_with_doubt(cause) +
         ", and was still accepted: run `vtmirror secret rotate` at once, or correct credentials.secret_expires_on; "
         "once it is refused, " +
         support_only;
}

std::string key_idle(const core::Cause& cause) {
  const auto last_used = text(cause, "last_used");
  return (last_used.empty() ? "the API key has never been used successfully since it was first seen on " +
                                  std::string(text(cause, "first_seen"))
                            : "the API key was last used on " + std::string(last_used)) +
         "; the service revokes it after 90 days without use, on " + std::string(text(cause, "revoked_on"));
}

std::string key_refused(const core::Cause& cause) {
  const auto used = text(cause, "last_used");
  if (used.empty()) return cause.detail + "; it was never accepted here";
  return cause.detail + "; it was last accepted on " + std::string(used);
}

std::string remedy_of_secret(const core::Cause& cause) {
  const auto code = core::service_code(cause);
  if (is_past_expiry(cause) || code == core::expired_secret) return std::string(advice_on_code(core::expired_secret));
  return std::string(code == core::wrong_secret ? advice_on_code(code) : doubtful_secret);
}

std::string remedy_of_key(const core::Problem& problem) {
  const auto used = text(problem.cause, "last_used");
  if (used.empty()) return std::string(doubtful_key);
  const auto day = base::parse_date(used);
  const auto refused_on = base::Date(std::chrono::floor<std::chrono::days>(problem.since));
  const bool was_idle = day && base::days_between(*day, refused_on) >= core::key_life.count();
  return std::string(was_idle ? advice_on_revoked_key : advice_on_withdrawn_key);
}

std::string sentence(const core::RotationEnd& end) {
  switch (end.outcome) {
    case core::RotationOutcome::none:
      return "";
    case core::RotationOutcome::in_use:
      return "the daemon requested a new client secret, which was verified and is now in use";
    case core::RotationOutcome::verified_later:
      return "a new client secret that was not verified before has been verified and is now in use";
    case core::RotationOutcome::failed:
      return "the daemon could not get a new client secret: " + sentence(end.cause);
    case core::RotationOutcome::postponed:
      return "no new client secret could be requested: " + sentence(end.cause) + "; to be tried again tomorrow";
    case core::RotationOutcome::cut_off:
      return "the request for a new client secret was cut off when the daemon ended: the service may have issued a "
             "secret, which is lost; the daemon does not ask again: run `vtmirror secret rotate`";
    case core::RotationOutcome::older:
      break;
  }
  return end.cause.detail;
}

}  // namespace vtmirror::report
