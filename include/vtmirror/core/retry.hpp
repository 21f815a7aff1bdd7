// The only place that decides what follows a failed request or transfer: wait, get a fresh link, get a fresh token,
// start over, or give up.
// Pure: time and chance are arguments.
#pragma once

#include "vtmirror/base/result.hpp"
#include "vtmirror/base/time.hpp"

namespace vtmirror::core {

enum class Next {
  wait,         ///< try again after `pause`, resuming at the last byte
  renew_link,   ///< one fresh listing, then try again
  renew_token,  ///< one fresh token, then try again
  start_over,   ///< drop the bytes held of the file, get a fresh link, download it from the start
  give_up,      ///< for this cycle
};

/// The failures of one transfer or one request so far, including the one to decide on.
struct Attempts {
  int failed = 0;  ///< failures in a row that brought no byte; a failure that brought some sets it to 0
  int total = 0;   ///< failures without progress between them; 16 times `limit` end the transfer
  int tls = 0;     ///< of those in a row, the last ones that were TLS failures
  int limit = 8;   ///< `download.attempts`
  std::chrono::seconds longest_retry_after = std::chrono::hours(1);  ///< a longer `Retry-After` gives up
  /// The link that failed came from a listing made for this transfer after its last failure.
  bool link_was_fresh = false;
  bool token_was_fresh = false;  ///< the refused token had been renewed after the last refusal
  bool started_over = false;     ///< the file was already restarted once in this cycle

  /// One more failure; with `progress`, it does not count towards `total`.
  void count(const base::Error& error, bool progress = false) {
    ++failed;
    tls = error.code == base::Errc::tls ? tls + 1 : 0;
    if (!progress) ++total;
  }
};

struct Decision {
  Next next{};
  base::Milliseconds pause{};  ///< before the next try; zero if none is needed
  friend bool operator==(const Decision&, const Decision&) = default;
};

/// How long after the end of its last try a file is tried again within its cycle, if a later listing has it: 5 minutes,
/// doubled for each failure after the first, at most an hour.
base::Milliseconds before_another_download(int failures);

/// What follows a download whose file could not be made public.
enum class AfterDownload {
  again,       ///< it failed its checks for the first time: it is downloaded once more, from the start
  quarantine,  ///< it failed them twice, or the process died in its check too often
  give_up,     ///< for this cycle: its contents are not why
};
/// `again`: it was downloaded for the second time.
AfterDownload after_download(const base::Error& error, bool again) noexcept;

/// `dice` is a number in [0, 1) for the jitter.
/// Waits: `Retry-After` is honoured up to `longest_retry_after` (a longer one gives up, a missing one or 0 is ignored);
/// otherwise 1 s, doubled for each failure in a row, at most 60 s, times a factor in [0.5, 1.5). A refused link or
/// token is renewed once; if the fresh one fails in the same way, the transfer gives up.
Decision next_attempt(const base::Error& error, const Attempts& attempts, double dice);

/// What follows a listing that several requests failed to fetch, or that names no bulk file, while files are
/// transferred: the service may be renewing its export, which must not end them. Waits as `next_attempt` does after
/// three more failures, so for five minutes in all with 8 attempts. `asked_for`: since the first of those requests;
/// after five minutes it gives up, as it does if the service asked for a wait, which has already passed.
Decision before_another_listing(const base::Error& error, Attempts attempts, base::Milliseconds asked_for, double dice);

}  // namespace vtmirror::core
