// The bytes of a request's head and body. Promises that no header can smuggle in another line.
#pragma once

#include "net/destination.hpp"
#include "net/proxy.hpp"
#include "vtmirror/ports/http.hpp"

#include <string>

namespace vtmirror::net {

/// One request on a connection of its own (`Connection: close`). Errors: config (invalid characters in a header or in
/// the method).
base::Result<std::string> request_text(const base::Url& url, const ports::Request& request,
                                       const std::string& user_agent);
std::string range_request_text(const base::Url& url, core::Range range, const std::string& if_match,
                               const std::string& user_agent);
std::string connect_request_text(const base::Url& url, const Proxy& proxy, const std::string& user_agent);

}  // namespace vtmirror::net
