// An http or https address taken apart, strictly: host, port and target, nothing else.
// Promises that no part holds a space, a control character or a user name. Never resolves a name.
#pragma once

#include "vtmirror/base/result.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace vtmirror::net {

struct Url {
  bool tls = true;
  std::string host;  ///< lower case, an IPv6 literal without its brackets
  std::uint16_t port = 443;
  std::string target;  ///< path and query, never empty

  /// For the `Host` header: the port only where it is not the scheme's own.
  std::string authority() const;
  /// "store.example:443", "[::1]:8080": for CONNECT and for messages.
  std::string endpoint() const;
  std::string without_query() const;
  bool same_origin(const Url& other) const { return tls == other.tls && host == other.host && port == other.port; }
};

/// A fragment is dropped. Errors: protocol; config for an http address that is not allowed.
base::Result<Url> parse_url(std::string_view text, bool allow_http);

/// What a `Location` means, seen from the address that was asked (RFC 3986, 5.2). Errors: as above.
base::Result<Url> resolve_reference(const Url& from, std::string_view location, bool allow_http);

struct HostPort {
  std::string host;
  std::uint16_t port = 0;
};

/// "host", "host:port", "[v6]:port". Errors: protocol.
base::Result<HostPort> parse_host_port(std::string_view text, std::uint16_t default_port);

/// "host:port", with brackets where the host is an IPv6 literal.
std::string endpoint_text(std::string_view host, std::uint16_t port);
bool is_ip_literal(const std::string& host);

}  // namespace vtmirror::net
