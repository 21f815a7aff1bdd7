// The service as the agent uses it: a cached token, and the listing. Concurrent callers share one request.
// Promises that no request is repeated in a loop: `core/retry` decides, and its retries are bounded. Also the links
// that a listing brings, which are renewed together.
#pragma once

#include "agent/wake.hpp"
#include "vtmirror/agent/rotation.hpp"
#include "vtmirror/core/answer.hpp"
#include "vtmirror/core/links.hpp"
#include "vtmirror/core/request.hpp"
#include "vtmirror/core/retry.hpp"
#include "vtmirror/core/token.hpp"

#include <functional>
#include <optional>
#include <string>

namespace vtmirror::agent {

class Service {
 public:
  Service(Ports ports, const ServiceSettings& settings);

  /// GET of the listing with both headers (vtmirror-service(7) 4.1); retried as `core/retry` decides, after a wait of
  /// at most `longest_retry_after` that the service or the issuer asks for. Errors: forbidden, unauthorised,
  /// rate_limited, unreachable, timed_out, tls, http_status, protocol, cancelled.
  boost::asio::awaitable<base::Result<core::FreshListing>> listing(std::chrono::seconds longest_retry_after);

  /// The same while files wait for links: one that cannot be had, or is not usable (`check_usable`), is asked for again
  /// for about five minutes, unless the service asked for a wait. Errors: empty_listing too.
  boost::asio::awaitable<base::Result<core::FreshListing>> usable_listing(std::chrono::seconds longest_retry_after);

  /// The request for a listing that began first of those under way; empty if none is.
  const std::optional<ports::Asking>& asking() const { return asking_; }

  const Acceptance& secret() const { return secret_; }
  const Acceptance& key() const { return key_; }

 private:
  RequestPorts ports() { return {ports_.clock, ports_.dice, ports_.http, ports_.journal, &asking_}; }
  /// What `asking` says while it runs.
  boost::asio::awaitable<base::Result<core::FreshListing>> shown(
      boost::asio::awaitable<base::Result<core::FreshListing>> asks);
  boost::asio::awaitable<base::Result<core::FreshListing>> ask_until_usable(std::chrono::seconds longest_retry_after);
  boost::asio::awaitable<base::Result<core::FreshListing>> ask_until_listed(std::chrono::seconds longest_retry_after);
  boost::asio::awaitable<base::Result<base::Secret>> bearer(std::chrono::seconds longest_retry_after);
  boost::asio::awaitable<base::Result<ports::Response>> ask_listing(base::Secret bearer);
  base::Result<core::FreshListing> read_listing(ports::Response response);

  Ports ports_;
  const ServiceSettings& settings_;
  std::optional<core::Token> token_;
  base::Steady token_good_until_{};
  Slots token_turn_;
  int asked_ = 0;  ///< listings that are asked for at the same time
  std::optional<ports::Asking> asking_;
  Acceptance secret_;
  Acceptance key_;
};

/// A request to the API or the issuer fails for good after this many failures in a row.
inline constexpr int request_attempts = 5;

/// If only a new cycle waits, a Retry-After above this ends the request, and the daemon reports when it will ask again.
/// It keeps to that time across a restart.
inline constexpr std::chrono::seconds longest_retry_after_to_begin{60};
/// The longest Retry-After for which downloads that have begun wait for a fresh link.
inline constexpr std::chrono::seconds longest_retry_after_to_continue{3600};

/// `response` and `http` must outlive the result.
core::FailedAnswer failed(const ports::Response& response, ports::Http& http);
/// "https://api.example/" and "/v1/x"
std::string joined(std::string_view base, std::string_view path);

/// One request to the token issuer (vtmirror-service(7) 4.3), never repeated; its form is wiped, and nothing is cached.
/// Errors: as `request_token`. `settings` must outlive the request.
boost::asio::awaitable<base::Result<core::Token>> try_token(RequestPorts ports, const ServiceSettings& settings,
                                                            base::Secret secret);
/// GET of the listing with both headers (vtmirror-service(7) 4.1).
ports::Request listing_request(const ServiceSettings& settings, const base::Secret& token);

/// Retried as `core/retry` decides. Makes the secret, the API key and the token known to `ports.http`. Errors:
/// forbidden (the issuer refuses the secret), rate_limited, http_status, protocol, and those of the network. `settings`
/// must outlive the request.
boost::asio::awaitable<base::Result<core::Token>> request_token(
    RequestPorts ports, const ServiceSettings& settings, base::Secret secret,
    std::chrono::seconds longest_retry_after = longest_retry_after_to_begin);
/// Renewals need no pause. Waits are logged, because somebody may be watching.
boost::asio::awaitable<base::Result<void>> pause(RequestPorts ports, core::ServiceRequest request, base::Error error,
                                                 core::Decision decision);

/// Errors: empty_listing.
base::Result<void> check_usable(const core::Listing& listing);

/// Provides links that have time left, as `core::Links` decides. One fresh listing serves all waiters.
class LinkSupply {
 public:
  LinkSupply(Ports ports, Service& service) : ports_(ports), service_(service), turn_(ports.loop, 1) {}

  /// Starts a cycle with its first listing. `renewed` is called with each later one.
  void begin(const core::FreshListing& fresh, std::function<void(const core::Listing&)> renewed);
  /// Ends the cycle: `renewed` is no longer called.
  void end() { renewed_ = {}; }

  /// Asks for a listing now, which replaces all links. Errors: those of the listing, and empty_listing; then all
  /// stays as it was.
  boost::asio::awaitable<base::Result<void>> renew();

  /// A link for `name` with time left, from a listing newer than `refused` (0: any). Errors: those of `core::Links`,
  /// where a listing counts as one that cannot be had after minutes of tries; all are final for this cycle.
  boost::asio::awaitable<base::Result<core::Link>> link_for(std::string name, int refused);

  /// The number of the listing that the links are from: 1 is the cycle's first.
  int listing() const { return links_.listing(); }

 private:
  void keep(const core::FreshListing& fresh);

  Ports ports_;
  Service& service_;
  Slots turn_;
  core::Links links_;
  std::function<void(const core::Listing&)> renewed_;
};

}  // namespace vtmirror::agent
