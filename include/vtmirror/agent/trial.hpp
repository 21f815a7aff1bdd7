// Tests addresses, secret and API key: one token, then one listing, as `vtmirror config check --online` asks for them.
// Promises that each is requested once, with no wait, whatever the answer. Never downloads a file and never changes
// anything here.
#pragma once

#include "vtmirror/agent/rotation.hpp"
#include "vtmirror/core/listing.hpp"
#include "vtmirror/core/token.hpp"

#include <boost/asio/awaitable.hpp>

namespace vtmirror::agent {

/// Errors name the request: forbidden (the issuer refuses the secret), rate_limited, http_status, protocol, and those
/// of the network. `settings` must outlive the request.
boost::asio::awaitable<base::Result<core::Token>> try_secret(RequestPorts ports, const ServiceSettings& settings);

/// With the token that `try_secret` returned. Errors name the request: forbidden (the API key is refused),
/// unauthorised, rate_limited, http_status, protocol, empty_listing, and those of the network.
boost::asio::awaitable<base::Result<core::Listing>> try_key(RequestPorts ports, const ServiceSettings& settings,
                                                            base::Secret token);

}  // namespace vtmirror::agent
