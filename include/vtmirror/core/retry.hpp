// The only place that says what an error means next: wait, take a fresh link, take a fresh token, start again, or give
// up. Pure: time and chance are arguments.
#pragma once

#include "vtmirror/base/result.hpp"
#include "vtmirror/base/time.hpp"

#include <string_view>

namespace vtmirror::core {

enum class Next {
  wait,         ///< try again after `pause`, resuming where we are
  renew_link,   ///< one fresh listing, then try again
  renew_token,  ///< one fresh token, then try again
  start_over,   ///< forget what is held of the file, take a fresh link, fetch it from nothing
  give_up,      ///< for this cycle
};
std::string_view name(Next next) noexcept;

/// What one transfer or one request has been through so far, the failure that is asked about included.
struct Attempts {
  int failed = 0;  ///< failures in a row that brought no byte; a failure that brought some sets it to 0
  int total = 0;   ///< failures in all; 16 times `limit` of them are the end, whatever they brought
  int limit = 8;   ///< `download.attempts`
  /// The link that failed came from a listing made for this transfer after its last failure.
  bool link_was_fresh = false;
  bool token_was_fresh = false;  ///< the token that was refused had been renewed because of the last refusal
  bool started_over = false;     ///< the file was already fetched from nothing once in this cycle
};

struct Decision {
  Next next{};
  base::Milliseconds pause{};  ///< before the next try; zero where none is needed
  friend bool operator==(const Decision&, const Decision&) = default;
};

/// `dice` is a number in [0, 1) for the jitter.
/// Waits: `Retry-After` is honoured up to an hour (more is given up, none or 0 is ignored); otherwise 1 s doubled for
/// each failure in a row, at most 60 s, times a factor in [0.5, 1.5). Link and token refusals are answered by one
/// renewal each and given up when the fresh one fails in the same way.
Decision next_attempt(const base::Error& error, const Attempts& attempts, double dice);

}  // namespace vtmirror::core
