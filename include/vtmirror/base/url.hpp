// An http or https address taken apart: where to connect, whom to ask for, what to ask for.
// Promises that no part holds a space or a control character, and that the host is one that a resolver takes. What may
// be logged of an address is `without_query()`. Never resolves a name.
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
  std::string target = "/";      ///< path and query as they were written, never empty
  std::optional<Secret> user{};  ///< "name:password" as it was written, where the address has such a part
  bool has_fragment = false;     ///< there was one; it is never sent

  std::string_view scheme() const noexcept { return tls ? "https" : "http"; }
  /// For the `Host` header: "store.example", "[::1]:8080"; the port only where it is not the scheme's own.
  std::string authority() const;
  /// "store.example:443", "[::1]:8080": for CONNECT and for messages.
  std::string endpoint() const;
  std::string_view path() const noexcept;
  /// The whole address, without user and fragment. Its query may open what it leads to.
  std::string text() const;
  bool has_query() const noexcept;
  /// "https://store.example/v1/a.zip": all that may be logged of a link.
  std::string without_query() const;

  bool same_origin(const Url& other) const { return tls == other.tls && host == other.host && port == other.port; }
};

/// Host names of letters, digits and "-._" are taken, and IP addresses. Errors: protocol, with what is wrong ("has no
/// valid host") and nothing of the address.
Result<Url> parse_url(std::string_view text);

/// What a `Location` means, seen from the address that was asked (RFC 3986, 5.2). Errors: as of `parse_url`.
Result<Url> resolve_reference(const Url& from, std::string_view location);

/// "http://user:password@proxy.example:3128"; the scheme may be left out. Errors: protocol.
Result<Url> parse_proxy_url(std::string_view text);

struct HostPort {
  std::string host;                     ///< as in `Url`
  std::optional<std::uint16_t> port{};  ///< 0 where it was written so
};

/// "host", "host:port", "[v6]:port". Errors: protocol.
Result<HostPort> parse_host_port(std::string_view text);

/// "host:port", with brackets where the host is an IPv6 address.
std::string endpoint_text(std::string_view host, std::uint16_t port);

bool is_ip_address(std::string_view host);

/// "localhost", 127.0.0.0/8 or ::1, as written: no name is resolved.
bool is_loopback(std::string_view host);

}  // namespace vtmirror::base
