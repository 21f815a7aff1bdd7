// The errors of requests to the service and its issuer, in words that name the request and what a person can check.
// Pure. Decides nothing: the code of an error stays as it is.
#pragma once

#include "agent/service.hpp"
#include "vtmirror/base/time.hpp"
#include "vtmirror/core/request.hpp"
#include "vtmirror/ports/http.hpp"

namespace vtmirror::agent {

/// The error with the request before it: "token request to login.example/TENANT/token failed: HTTP 404". Its subject is
/// the request's name. A stop stays as it is. `now`: by this machine's clock, which a refused certificate depends on.
base::Error named(const ServiceSettings& settings, core::ServiceRequest request, base::Error error, base::Time now);

/// What an answer to a request for the listing means that is not status 200. If something new was refused, it says so
/// if the server's clock and `now` differ.
base::Error listing_error(const ports::Response& response, ports::Http& http, base::Time now);

/// If the answer is a web page, the error says so instead of `error`'s text: a proxy or a login page answered.
base::Error in_place_of_json(base::Error error, const ports::Response& response);

/// The error, with both clocks if they differ by more than five minutes: what is new may look expired then.
base::Error with_clocks(base::Error error, std::optional<base::Time> server, base::Time now);

/// Whether they differ by more than that. Without the server's, nothing is known against this machine's.
bool clocks_differ(std::optional<base::Time> server, base::Time now, base::Milliseconds by) noexcept;

}  // namespace vtmirror::agent
