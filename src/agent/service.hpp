// The service as the agent uses it: a cached token, and the listing. Concurrent callers share one request.
// Promises that no request is repeated in a loop: `core/retry` decides, and its retries are bounded.
#pragma once

#include "agent/wake.hpp"
#include "vtmirror/agent/rotation.hpp"
#include "vtmirror/core/listing.hpp"
#include "vtmirror/core/retry.hpp"
#include "vtmirror/core/token.hpp"

#include <optional>

namespace vtmirror::agent {

/// A listing and what is needed to compute how long its links live.
struct FreshListing {
  core::Listing listing;
  std::optional<base::Time> server_now;  ///< the answer's `Date` header
  base::Steady received{};
};

class Service {
 public:
  Service(Parts parts, const ServiceSettings& settings);

  /// GET of the listing with both headers (vtmirror-service(7) 4.1); retried as `core/retry` decides. Errors:
  /// forbidden,
  /// unauthorised, rate_limited, unreachable, timed_out, tls, http_status, protocol, cancelled.
  boost::asio::awaitable<base::Result<FreshListing>> listing();

  const Acceptance& secret() const { return secret_; }
  const Acceptance& key() const { return key_; }

 private:
  boost::asio::awaitable<base::Result<base::Secret>> bearer();
  boost::asio::awaitable<base::Result<ports::Response>> ask_listing(base::Secret bearer);
  base::Result<FreshListing> read_listing(ports::Response response) const;
  Asking asking() const { return {parts_.clock, parts_.dice, parts_.http, parts_.journal}; }

  Parts parts_;
  const ServiceSettings& settings_;
  std::optional<core::Token> token_;
  base::Steady token_good_until_{};
  Slots token_turn_;
  Acceptance secret_;
  Acceptance key_;
};

}  // namespace vtmirror::agent
