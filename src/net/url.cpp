#include "net/url.hpp"

#include "vtmirror/base/text.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <utility>

namespace vtmirror::net {
namespace {

using base::Errc;
using base::Error;
using base::Result;

bool visible(char c) { return c > 0x20 && c < 0x7f; }

bool is_host_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_';
}

bool is_v6(const std::string& host) {
  std::array<unsigned char, 16> bytes{};
  return inet_pton(AF_INET6, host.c_str(), bytes.data()) == 1;
}

Error malformed(std::string_view what) { return {Errc::protocol, "not an address: " + std::string(what)}; }

/// RFC 3986, 5.2.4.
std::string remove_dot_segments(std::string_view path) {
  std::string out;
  while (!path.empty()) {
    const auto end = std::min(path.find('/', 1), path.size());
    const auto segment = path.substr(0, end);
    path.remove_prefix(end);
    const bool last = path.empty();
    if (segment == "/.") {
      if (last) out += '/';
    } else if (segment == "/..") {
      out.resize(out.empty() ? 0 : out.rfind('/'));
      if (last) out += '/';
    } else {
      out += segment;
    }
  }
  return out.empty() ? "/" : out;
}

std::string merge(const std::string& target, std::string_view relative) {
  const std::string_view path = std::string_view(target).substr(0, target.find('?'));
  if (relative.empty()) return target;
  if (relative.front() == '?') return std::string(path) + std::string(relative);
  const auto question = relative.find('?');
  const std::string_view query = question == std::string_view::npos ? "" : relative.substr(question);
  std::string merged = relative.front() == '/' ? "" : std::string(path.substr(0, path.rfind('/') + 1));
  merged += relative.substr(0, question);
  return remove_dot_segments(merged) + std::string(query);
}

bool has_scheme(std::string_view text) {
  const auto colon = text.find(':');
  return colon != std::string_view::npos && colon < text.find_first_of("/?#");
}

}  // namespace

std::string endpoint_text(std::string_view host, std::uint16_t port) {
  const bool v6 = host.find(':') != std::string_view::npos;
  std::string text;
  if (v6) text += '[';
  text += host;
  if (v6) text += ']';
  text += ':';
  return text += std::to_string(port);
}

bool is_ip_literal(const std::string& host) {
  std::array<unsigned char, 16> bytes{};
  return inet_pton(AF_INET, host.c_str(), bytes.data()) == 1 || is_v6(host);
}

std::string Url::endpoint() const { return endpoint_text(host, port); }

std::string Url::authority() const {
  std::string text = endpoint();
  if (port == (tls ? 443 : 80)) text.resize(text.rfind(':'));
  return text;
}

std::string Url::without_query() const {
  return (tls ? "https://" : "http://") + authority() + target.substr(0, target.find('?'));
}

Result<HostPort> parse_host_port(std::string_view text, std::uint16_t default_port) {
  HostPort out{"", default_port};
  std::string_view rest;
  if (text.starts_with('[')) {
    const auto close = text.find(']');
    if (close == std::string_view::npos) return malformed("bracket without its pair");
    out.host = base::lower(text.substr(1, close - 1));
    rest = text.substr(close + 1);
    if (!is_v6(out.host)) return malformed("wrong IPv6 address");
  } else {
    const auto colon = std::min(text.find(':'), text.size());
    out.host = base::lower(text.substr(0, colon));
    rest = text.substr(colon);
    if (out.host.empty() || out.host.size() > 253 || !std::all_of(out.host.begin(), out.host.end(), is_host_char))
      return malformed("wrong host name");
  }
  if (rest.empty()) return out;
  const auto port = rest.front() == ':' ? base::parse_int(rest.substr(1)) : Result<std::int64_t>(0);
  if (!port || *port < 1 || *port > 65535) return malformed("wrong port");
  out.port = static_cast<std::uint16_t>(*port);
  return out;
}

Result<Url> parse_url(std::string_view text, bool allow_http) {
  if (!std::all_of(text.begin(), text.end(), visible)) return malformed("space, control or foreign character");
  const auto mark = text.find("://");
  const std::string scheme = base::lower(text.substr(0, std::min(mark, text.size())));
  if (mark == std::string_view::npos || (scheme != "https" && scheme != "http"))
    return malformed("neither https nor http");
  if (scheme == "http" && !allow_http)
    return Error{Errc::config, "plain http is not allowed: " + base::without_query(text)};
  text.remove_prefix(mark + 3);
  text = text.substr(0, text.find('#'));
  const auto slash = std::min(text.find_first_of("/?"), text.size());
  const std::string_view authority = text.substr(0, slash);
  if (authority.find('@') != std::string_view::npos) return malformed("user name in it");
  Url url;
  url.tls = scheme == "https";
  auto place = parse_host_port(authority, url.tls ? 443 : 80);
  if (!place) return place.error();
  url.host = std::move(place->host);
  url.port = place->port;
  const std::string_view target = text.substr(slash);
  if (!target.starts_with('/')) url.target += '/';
  url.target += target;
  return url;
}

Result<Url> resolve_reference(const Url& from, std::string_view location, bool allow_http) {
  location = location.substr(0, location.find('#'));
  if (has_scheme(location)) return parse_url(location, allow_http);
  const std::string scheme = from.tls ? "https:" : "http:";
  if (location.starts_with("//")) return parse_url(scheme + std::string(location), allow_http);
  return parse_url(scheme + "//" + from.authority() + merge(from.target, location), allow_http);
}

}  // namespace vtmirror::net
