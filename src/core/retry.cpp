#include "vtmirror/core/retry.hpp"

#include <algorithm>
#include <cmath>

namespace vtmirror::core {
namespace {

using base::Errc;
using base::Error;
using base::Milliseconds;
using namespace std::chrono_literals;

constexpr Milliseconds first_pause = 1s;
constexpr Milliseconds longest_pause = 60s;
constexpr int most_tls_failures = 2;  ///< a certificate that was refused twice stays refused
constexpr int totals_per_limit = 16;  ///< so that a transfer that breaks after every few bytes ends

constexpr Decision give_up{Next::give_up, {}};

/// 1 s, doubled for each failure in a row after the first, times a factor in [0.5, 1.5).
Milliseconds backoff(int failed, double dice) {
  const int doublings = std::clamp(failed - 1, 0, 6);
  const Milliseconds pause = std::min(first_pause * (1 << doublings), longest_pause);
  const double factor = 0.5 + (std::isfinite(dice) ? std::clamp(dice, 0.0, 1.0) : 0.5);
  return Milliseconds{static_cast<Milliseconds::rep>(static_cast<double>(pause.count()) * factor)};
}

/// A `Retry-After` of 0 is ignored: the service would be asked again at once, without end.
Decision wait(const Error& error, const Attempts& attempts, double dice) {
  if (!error.retry_after || *error.retry_after <= 0s) return {Next::wait, backoff(attempts.failed, dice)};
  if (*error.retry_after > attempts.longest_retry_after) return give_up;
  return {Next::wait, *error.retry_after};
}

Decision once(Next next, bool done_already) { return done_already ? give_up : Decision{next, {}}; }

bool is_passing(int status) { return status == 408 || (status >= 500 && status <= 599); }

bool exhausted(const Attempts& attempts) {
  return attempts.failed >= attempts.limit || attempts.total / totals_per_limit >= attempts.limit;
}

}  // namespace

base::Milliseconds before_another_download(int failures) {
  constexpr Milliseconds first = 5min;
  constexpr Milliseconds longest = 1h;
  return std::min(first * (1 << std::clamp(failures - 1, 0, 6)), longest);
}

AfterDownload after_download(const Error& error, bool again) noexcept {
  if (error.code != Errc::integrity) return AfterDownload::give_up;
  return again || error.diagnosis == base::Diagnosis::died_in_checks ? AfterDownload::quarantine : AfterDownload::again;
}

Decision next_attempt(const Error& error, const Attempts& attempts, double dice) {
  if (exhausted(attempts)) return give_up;
  switch (error.code) {
    case Errc::timed_out:
    case Errc::unreachable:
    case Errc::protocol:
    case Errc::rate_limited:
    case Errc::catalogue_busy:
      return wait(error, attempts, dice);
    case Errc::http_status:
      return is_passing(error.status) ? wait(error, attempts, dice) : give_up;
    case Errc::tls:
      return attempts.tls < most_tls_failures ? wait(error, attempts, dice) : give_up;
    case Errc::unauthorised:
      return once(Next::renew_token, attempts.token_was_fresh);
    case Errc::link_refused:
      return once(Next::renew_link, attempts.link_was_fresh);
    case Errc::changed_upstream:
    case Errc::integrity:
      return once(Next::start_over, attempts.started_over);
    case Errc::cancelled:
    case Errc::forbidden:
    case Errc::empty_listing:
    case Errc::no_space:
    case Errc::io:
    case Errc::catalogue:
    case Errc::catalogue_damaged:
    case Errc::config:
    case Errc::locked:
      return give_up;
  }
  return give_up;
}

Decision before_another_listing(const Error& error, Attempts attempts, Milliseconds asked_for, double dice) {
  constexpr Milliseconds longest = 5min;
  constexpr int asked_before = 3;
  if (error.retry_after || asked_for >= longest) return give_up;
  attempts.failed += asked_before;
  attempts.limit += asked_before;
  return next_attempt(error.code == Errc::empty_listing ? Error{Errc::protocol} : error, attempts, dice);
}

}  // namespace vtmirror::core
