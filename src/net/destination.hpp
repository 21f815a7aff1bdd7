// Checks where a request may go: to an https address, or to an http one if that is allowed.
// Promises that no user name or password is sent. Never resolves a name. Also the proxy, if any, on the way there.
#pragma once

#include "vtmirror/base/result.hpp"
#include "vtmirror/base/secret.hpp"
#include "vtmirror/base/url.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace vtmirror::net {

/// An address as errors name it: without its query, or by host and port alone if its path is private.
std::string shown(const base::Url& url, bool private_path);

/// Errors: protocol; config for an http address that is not allowed.
base::Result<base::Url> parse_destination(std::string_view text, bool allow_http, bool private_path = false);

/// Resolves a redirect's location against the address of the request. Errors: as above.
base::Result<base::Url> redirected(const base::Url& from, std::string_view location, bool allow_http);

/// Which proxy, if any, is used for a host: the setting's, else the environment's with its exceptions.
/// Promises that the proxy's password appears in no message, and that no proxy is used for a loopback host.
struct Proxy {
  std::string host;
  std::uint16_t port = 0;
  base::Secret authorization;  ///< value of `Proxy-Authorization`; empty if the address names no user

  std::string endpoint() const { return base::endpoint_text(host, port); }
};

/// Parses "http://user:password@proxy.example:3128". The scheme is optional, the port defaults to 80. Errors: config.
base::Result<Proxy> parse_proxy(std::string_view text);

class ProxyRules {
 public:
  ProxyRules() = default;
  /// `exceptions` has the syntax of NO_PROXY in curl and Go programs: "a.example" (with its subdomains, like
  /// ".a.example" and "*.a.example"), "host:port", addresses, "10.0.0.0/8", "*"; separated by commas or spaces.
  ProxyRules(std::optional<Proxy> proxy, std::string_view exceptions);

  /// The setting if it is not empty, else HTTPS_PROXY and NO_PROXY, or both in lower case; `exceptions` apply to both.
  /// Errors: config.
  static base::Result<ProxyRules> from(const std::string& setting, const std::vector<std::string>& exceptions = {});

  /// The proxy to use, or null. The environment's is used for https only.
  const Proxy* before(const base::Url& url) const;

 private:
  bool excepted(const base::Url& url) const;

  std::optional<Proxy> proxy_;
  bool only_https_ = true;
  std::vector<std::string> exceptions_;
};

}  // namespace vtmirror::net
