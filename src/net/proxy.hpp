// Which proxy, if any, stands before a host: the setting's, else the environment's with its exceptions.
// Promises that the proxy's password is in no message.
#pragma once

#include "net/destination.hpp"
#include "vtmirror/base/result.hpp"
#include "vtmirror/base/secret.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace vtmirror::net {

struct Proxy {
  std::string host;
  std::uint16_t port = 0;
  base::Secret authorization;  ///< value of `Proxy-Authorization`, empty where the address names no user

  std::string endpoint() const { return base::endpoint_text(host, port); }
};

/// "http://user:password@proxy.example:3128"; the scheme may be left out, the port is 80 by default. Errors: config.
base::Result<Proxy> parse_proxy(std::string_view text);

class ProxyRules {
 public:
  ProxyRules() = default;
  /// `exceptions` as curl and Go's programs read NO_PROXY: "a.example" (and all below it, as ".a.example" and
  /// "*.a.example" say too), "host:port", addresses, "10.0.0.0/8", "*"; separated by commas or spaces.
  ProxyRules(std::optional<Proxy> proxy, std::string_view exceptions);

  /// The setting where it is not empty (without exceptions), else HTTPS_PROXY and NO_PROXY, or both in lower case.
  /// Errors: config.
  static base::Result<ProxyRules> from(const std::string& setting);

  /// The proxy to take, or null. The environment's is for https alone.
  const Proxy* before(const base::Url& url) const;

 private:
  bool excepted(const base::Url& url) const;

  std::optional<Proxy> proxy_;
  bool only_https_ = true;
  std::vector<std::string> exceptions_;
};

}  // namespace vtmirror::net
