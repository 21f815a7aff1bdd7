// Requests to the token issuer (vtmirror-service(7) 4.3), with any secret. Promises that the form is wiped and nothing
// is cached.
#pragma once

#include "vtmirror/agent/rotation.hpp"
#include "vtmirror/core/retry.hpp"
#include "vtmirror/core/service_error.hpp"
#include "vtmirror/core/token.hpp"

namespace vtmirror::agent {

/// A request to the API or the issuer fails for good after this many failures in a row.
inline constexpr int request_attempts = 5;

core::FailedAnswer failed(const ports::Response& response);
/// "https://api.example/" and "/v1/x"
std::string joined(std::string_view base, std::string_view path);

/// Retried as `core/retry` decides. Errors: forbidden (the issuer refuses the secret), rate_limited, http_status,
/// protocol, and those of the network. `settings` must outlive the request.
boost::asio::awaitable<base::Result<core::Token>> request_token(Asking asking, const ServiceSettings& settings,
                                                                base::Secret secret);
/// Renewals need no pause. Waits are logged, because somebody may be watching.
boost::asio::awaitable<base::Result<void>> pause(Asking asking, base::Error error, core::Decision decision);

}  // namespace vtmirror::agent
