// An http or https address, split into what to connect to, the host to name and the target to request.
// No part contains a space or a control character, and a resolver accepts the host. Only `without_query()` may be
// logged.
// Never resolves a name.
#pragma once

#include "vtmirror/base/result.hpp"
#include "vtmirror/base/secret.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace vtmirror::base {

struct Url {
  bool tls = true;
  std::string host;  ///< lower case, an IPv6 address without its brackets
  std::uint16_t port = 443;
  std::string target = "/";      ///< path and query as written, never empty
  std::optional<Secret> user{};  ///< "name:password" as written, if the address has such a part
  bool has_fragment = false;     ///< the address had a fragment, which is never sent

  std::string_view scheme() const noexcept { return tls ? "https" : "http"; }
  /// For the `Host` header: "store.example", "[::1]:8080"; the port only if it is not the scheme's default.
  std::string authority() const;
  /// "store.example:443", "[::1]:8080": for CONNECT and for messages.
  std::string endpoint() const;
  std::string_view path() const noexcept;
  /// The whole address, without user and fragment. Its query may grant access to the file.
  std::string text() const;
  bool has_query() const noexcept;
  /// "https://store.example/v1/a.zip": the only form of a link that may be logged.
  std::string without_query() const;

  bool same_origin(const Url& other) const { return tls == other.tls && host == other.host && port == other.port; }
};

/// Accepts host names of letters, digits and "-._", and IP addresses. Errors: protocol, with what is wrong ("has no
/// valid host") and no part of the address.
Result<Url> parse_url(std::string_view text);

/// Resolves a `Location` header against the address that was requested (RFC 3986, 5.2). Errors: as for `parse_url`.
Result<Url> resolve_reference(const Url& from, std::string_view location);

/// "http://user:password@proxy.example:3128"; the scheme may be omitted. Errors: protocol.
Result<Url> parse_proxy_url(std::string_view text);

struct HostPort {
  std::string host;                     ///< as in `Url`
  std::optional<std::uint16_t> port{};  ///< may be 0 if written so
};

/// "host", "host:port", "[v6]:port". Errors: protocol.
Result<HostPort> parse_host_port(std::string_view text);

/// "host:port", with brackets if the host is an IPv6 address.
std::string endpoint_text(std::string_view host, std::uint16_t port);

bool is_ip_address(std::string_view host);

/// "localhost", 127.0.0.0/8 or ::1, as written: no name is resolved.
bool is_loopback(std::string_view host);

}  // namespace vtmirror::base
