#include "net/destination.hpp"

#include "vtmirror/base/encoding.hpp"
#include "vtmirror/base/text.hpp"

#include <arpa/inet.h>

#include <cstdlib>
#include <initializer_list>
#include <string>
#include <utility>

namespace vtmirror::net {
namespace {

using base::Errc;
using base::Error;
using base::Result;
using base::Url;

Result<Url> allowed(Result<Url> url, bool allow_http, bool private_path) {
  if (!url) return Error{Errc::protocol, "the address " + url.error().detail};
  if (url->user) return Error{Errc::protocol, "the address contains a user name"};
  if (!url->tls && !allow_http) return Error{Errc::config, "plain http is not allowed: " + shown(*url, private_path)};
  return url;
}

}  // namespace

std::string shown(const Url& url, bool private_path) { return private_path ? url.endpoint() : url.without_query(); }

Result<Url> parse_destination(std::string_view text, bool allow_http, bool private_path) {
  return allowed(base::parse_url(text), allow_http, private_path);
}

Result<Url> redirected(const Url& from, std::string_view location, bool allow_http) {
  return allowed(base::resolve_reference(from, location), allow_http, false);
}

namespace {

/// An environment variable under the first of its names whose value is not empty.
struct Variable {
  std::string name;
  std::string value;
};

Variable environment(std::initializer_list<const char*> names) {
  for (const char* name : names) {
    const char* value = std::getenv(name);
    if (value != nullptr && *value != '\0') return {name, value};
  }
  return {};
}

base::Secret basic(std::string_view user_part) {
  const auto colon = std::min(user_part.find(':'), user_part.size());
  std::string pair = base::percent_decoded(user_part.substr(0, colon)) + ":";
  if (colon < user_part.size()) pair += base::percent_decoded(user_part.substr(colon + 1));
  std::string encoded = base::base64(pair);
  base::Secret secret("Basic " + encoded);
  base::wipe(pair);
  base::wipe(encoded);
  return secret;
}

bool is_in_domain(std::string_view host, std::string_view domain) {
  return host.ends_with(domain) && (host.size() == domain.size() || host[host.size() - domain.size() - 1] == '.');
}

/// The 4 or 16 bytes of an address; empty if the text is not an address.
std::string address_bytes(const std::string& text) {
  std::string bytes(16, '\0');
  if (inet_pton(AF_INET6, text.c_str(), bytes.data()) == 1) return bytes;
  bytes.resize(4);
  return inet_pton(AF_INET, text.c_str(), bytes.data()) == 1 ? bytes : "";
}

/// A network such as "10.0.0.0/8" or "fd00::/8".
bool is_in_network(const std::string& host, std::string_view network) {
  const auto slash = network.find('/');
  const std::string address = address_bytes(host);
  const std::string begin = address_bytes(std::string(network.substr(0, slash)));
  const auto bits = base::parse_int(network.substr(slash + 1));
  if (address.empty() || address.size() != begin.size() || !bits || std::cmp_greater(*bits, 8 * begin.size()))
    return false;
  const auto whole = static_cast<std::size_t>(*bits / 8);
  if (address.compare(0, whole, begin, 0, whole) != 0) return false;
  const auto differing = whole < begin.size() ? (address[whole] ^ begin[whole]) & 0xff : 0;
  return differing >> (8 - *bits % 8) == 0;
}

/// A loopback host, in whatever form: a proxy would reach its own machine instead.
bool is_here(std::string_view host) {
  constexpr std::string_view mapped("\0\0\0\0\0\0\0\0\0\0\xff\xff\x7f", 13);  // ::ffff:127.0.0.0/104
  const std::string bytes = address_bytes(std::string(host));
  if (bytes.size() == 16 && bytes.starts_with(mapped)) return true;
  if (host.ends_with('.')) host.remove_suffix(1);
  return base::is_loopback(host) || host.ends_with(".localhost");
}

bool matches(std::string_view rule, const base::Url& url) {
  if (rule == "*") return true;
  if (rule.find('/') != std::string_view::npos) return is_in_network(url.host, rule);
  const std::string address = address_bytes(url.host);
  if (!rule.starts_with('[') && rule.find(':') != rule.rfind(':'))  // IPv6 without brackets
    return !address.empty() && address == address_bytes(std::string(rule));
  if (rule.starts_with("*.")) rule.remove_prefix(1);
  const auto place = base::parse_host_port(rule.starts_with('.') ? rule.substr(1) : rule);
  if (!place || place->port.value_or(url.port) != url.port) return false;
  return address.empty() ? is_in_domain(url.host, place->host) : address == address_bytes(place->host);
}

}  // namespace

Result<Proxy> parse_proxy(std::string_view text) {
  auto url = base::parse_proxy_url(text);
  if (!url) return Error{Errc::config, "not of the form http://host:port"};
  Proxy proxy{std::move(url->host), url->port, {}};
  if (url->user) proxy.authorization = basic(url->user->reveal());
  return proxy;
}

ProxyRules::ProxyRules(std::optional<Proxy> proxy, std::string_view exceptions) : proxy_(std::move(proxy)) {
  while (!exceptions.empty()) {
    const auto end = std::min(exceptions.find_first_of(", \t"), exceptions.size());
    if (end > 0) exceptions_.push_back(base::lower(exceptions.substr(0, end)));
    exceptions.remove_prefix(std::min(end + 1, exceptions.size()));
  }
}

Result<ProxyRules> ProxyRules::from(const std::string& setting, const std::vector<std::string>& exceptions) {
  std::string all;
  for (const auto& exception : exceptions) all += exception + ",";
  if (!setting.empty()) {
    auto proxy = parse_proxy(setting);
    if (!proxy) return Error{Errc::config, "proxy: " + proxy.error().detail};
    ProxyRules rules(std::move(*proxy), all);
    rules.only_https_ = false;
    return rules;
  }
  const auto variable = environment({"HTTPS_PROXY", "https_proxy"});
  if (variable.name.empty()) return ProxyRules();
  auto proxy = parse_proxy(variable.value);
  if (!proxy) return Error{Errc::config, variable.name + " in the environment: " + proxy.error().detail};
  return ProxyRules(std::move(*proxy), all + environment({"NO_PROXY", "no_proxy"}).value);
}

const Proxy* ProxyRules::before(const base::Url& url) const {
  if (!proxy_ || (only_https_ && !url.tls) || is_here(url.host) || excepted(url)) return nullptr;
  return &*proxy_;
}

bool ProxyRules::excepted(const base::Url& url) const {
  for (const auto& rule : exceptions_) {
    if (matches(rule, url)) return true;
  }
  return false;
}

}  // namespace vtmirror::net
