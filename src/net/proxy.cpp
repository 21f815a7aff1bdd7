#include "net/proxy.hpp"

#include "vtmirror/base/text.hpp"

#include <openssl/evp.h>

#include <cstdlib>
#include <utility>

namespace vtmirror::net {
namespace {

using base::Errc;
using base::Error;
using base::Result;

std::string environment(const char* name, const char* other) {
  const char* value = std::getenv(name);
  if (value == nullptr || *value == '\0') value = std::getenv(other);
  return value == nullptr ? "" : value;
}

base::Secret basic(std::string_view user_part) {
  const auto colon = std::min(user_part.find(':'), user_part.size());
  std::string pair = base::percent_decoded(user_part.substr(0, colon)) + ":";
  if (colon < user_part.size()) pair += base::percent_decoded(user_part.substr(colon + 1));
  std::string encoded(4 * ((pair.size() + 2) / 3) + 1, '\0');
  const int length =
      EVP_EncodeBlock(reinterpret_cast<unsigned char*>(encoded.data()),
                      reinterpret_cast<const unsigned char*>(pair.data()), static_cast<int>(pair.size()));
  encoded.resize(static_cast<std::size_t>(length));
  base::Secret secret("Basic " + encoded);
  base::wipe(pair);
  base::wipe(encoded);
  return secret;
}

bool matches(std::string_view rule, const Url& url) {
  if (rule == "*") return true;
  if (rule.starts_with('[') || rule.find(':') == rule.rfind(':')) {
    const auto place = parse_host_port(rule.starts_with('.') ? rule.substr(1) : rule, url.port);
    if (!place || place->port != url.port) return false;
    if (!rule.starts_with('.')) return url.host == place->host;
    return url.host == place->host || url.host.ends_with("." + place->host);
  }
  return url.host == rule;  // an IPv6 literal without brackets
}

}  // namespace

Result<Proxy> parse_proxy(std::string_view text) {
  constexpr std::string_view scheme = "http://";
  const Error wrong{Errc::config, "proxy: not of the form http://host:port"};
  if (base::iequals(text.substr(0, scheme.size()), scheme)) text.remove_prefix(scheme.size());
  if (text.find("://") != std::string_view::npos) return wrong;
  if (text.ends_with('/')) text.remove_suffix(1);
  const auto at = text.rfind('@');
  const auto place = parse_host_port(at == std::string_view::npos ? text : text.substr(at + 1), 80);
  if (!place) return wrong;
  Proxy proxy{place->host, place->port, {}};
  if (at != std::string_view::npos) proxy.authorization = basic(text.substr(0, at));
  return proxy;
}

ProxyRules::ProxyRules(std::optional<Proxy> proxy, std::string_view exceptions) : proxy_(std::move(proxy)) {
  while (!exceptions.empty()) {
    const auto end = std::min(exceptions.find_first_of(", \t"), exceptions.size());
    if (end > 0) exceptions_.push_back(base::lower(exceptions.substr(0, end)));
    exceptions.remove_prefix(std::min(end + 1, exceptions.size()));
  }
}

Result<ProxyRules> ProxyRules::from(const std::string& setting) {
  const std::string address = setting.empty() ? environment("HTTPS_PROXY", "https_proxy") : setting;
  if (address.empty()) return ProxyRules();
  auto proxy = parse_proxy(address);
  if (!proxy) return proxy.error();
  ProxyRules rules(std::move(*proxy), setting.empty() ? environment("NO_PROXY", "no_proxy") : "");
  rules.only_https_ = setting.empty();
  return rules;
}

const Proxy* ProxyRules::before(const Url& url) const {
  if (!proxy_ || (only_https_ && !url.tls) || excepted(url)) return nullptr;
  return &*proxy_;
}

bool ProxyRules::excepted(const Url& url) const {
  for (const auto& rule : exceptions_) {
    if (matches(rule, url)) return true;
  }
  return false;
}

}  // namespace vtmirror::net
