#include "vtmirror/base/url.hpp"

#include "base/redaction.hpp"
#include "vtmirror/base/text.hpp"

#include <boost/url/authority_view.hpp>
#include <boost/url/ipv4_address.hpp>
#include <boost/url/ipv6_address.hpp>
#include <boost/url/parse.hpp>

#include <algorithm>
#include <limits>
#include <utility>

namespace vtmirror::base {
namespace {

namespace urls = boost::urls;

constexpr std::uint16_t https_port = 443;
constexpr std::uint16_t http_port = 80;
constexpr std::size_t longest_host = 253;
constexpr std::size_t longest_label = 63;

Error unusable(std::string_view why) { return {Errc::protocol, std::string(why)}; }

/// The characters that RFC 3986 allows in an address.
bool is_address_sign(char c) {
  constexpr std::string_view marks = "-._~:/?#[]@!$&'()*+,;=%";
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         marks.find(c) != std::string_view::npos;
}

/// RFC 3986 allows more in a name ("$", "%41"), but no resolver accepts it.
bool is_name_sign(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_';
}

urls::string_view text_of(std::string_view text) { return {text.data(), text.size()}; }
std::string_view view_of(urls::string_view text) { return {text.data(), text.size()}; }

struct Split {
  std::string_view scheme;  ///< empty if the string does not begin with "scheme://"
  std::string_view authority;
  std::string_view target;
  bool has_fragment = false;
};

Split split(std::string_view text) {
  constexpr std::string_view mark = "://";
  const auto scheme = text.find(mark);
  if (scheme == std::string_view::npos) return {};
  const auto authority = scheme + mark.size();
  const auto target = std::min(text.find_first_of("/?#", authority), text.size());
  const auto fragment = std::min(text.find('#', target), text.size());
  return {text.substr(0, scheme), text.substr(authority, target - authority), text.substr(target, fragment - target),
          fragment < text.size()};
}

bool is_number(std::string_view text) { return text.find_first_not_of("0123456789") == std::string_view::npos; }

/// Labels of 1 to 63 characters, none with a hyphen at either end; a dot may follow the last one. A last label that is
/// a number is a mistyped IPv4 address.
bool is_host_name(std::string_view host) {
  if (host.size() > longest_host || !std::all_of(host.begin(), host.end(), is_name_sign)) return false;
  if (host.ends_with('.')) host.remove_suffix(1);
  for (std::size_t begin = 0; begin <= host.size();) {
    const auto end = std::min(host.find('.', begin), host.size());
    const auto label = host.substr(begin, end - begin);
    if (label.empty() || label.size() > longest_label || label.starts_with('-') || label.ends_with('-')) return false;
    begin = end + 1;
  }
  return !is_number(host.substr(host.rfind('.') + 1));
}

/// The host in the form that a resolver accepts.
Result<std::string> host_of(const urls::authority_view& parts) {
  std::string host = lower(view_of(parts.encoded_host()));
  switch (parts.host_type()) {
    case urls::host_type::ipv4:
      return host;
    case urls::host_type::ipv6:
      return host.substr(1, host.size() - 2);
    case urls::host_type::name:
      if (is_host_name(host)) return host;
      break;
    case urls::host_type::ipvfuture:
    case urls::host_type::none:
      break;
  }
  return unusable("has no valid host");
}

Result<HostPort> place_of(const urls::authority_view& parts) {
  auto host = host_of(parts);
  if (!host) return host.error();
  HostPort place{*std::move(host)};
  if (!parts.has_port()) return place;
  const auto port = parse_int(view_of(parts.port()));
  if (!port || *port > std::numeric_limits<std::uint16_t>::max()) return unusable("has no valid port");
  place.port = static_cast<std::uint16_t>(*port);
  return place;
}

/// RFC 3986, 5.2.4. Boost.URL 1.81 is not used here: it decodes "%2F" to a slash, which breaks a link's signature.
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

/// Path and query of a reference without a host, resolved against another address.
std::string merged(const Url& from, std::string_view reference) {
  if (reference.empty()) return from.target;
  const auto path = from.path();
  if (reference.front() == '?') return std::string(path) + std::string(reference);
  const auto question = std::min(reference.find('?'), reference.size());
  std::string whole(reference.front() == '/' ? "" : path.substr(0, path.rfind('/') + 1));
  whole += reference.substr(0, question);
  return remove_dot_segments(whole) + std::string(reference.substr(question));
}

bool has_scheme(std::string_view reference) {
  const auto colon = reference.find(':');
  return colon != std::string_view::npos && colon < reference.find_first_of("/?#");
}

}  // namespace

std::string Url::endpoint() const { return endpoint_text(host, port); }

std::string Url::authority() const {
  std::string text = endpoint();
  if (port == (tls ? https_port : http_port)) text.resize(text.rfind(':'));
  return text;
}

std::string_view Url::path() const noexcept { return std::string_view(target).substr(0, target.find('?')); }

bool Url::has_query() const noexcept { return target.find('?') != std::string::npos; }

std::string Url::text() const { return std::string(scheme()) + "://" + authority() + target; }

std::string Url::without_query() const {
  return redacted(std::string(scheme()) + "://" + authority() + std::string(path()));
}

Result<Url> parse_url(std::string_view text) {
  if (!std::all_of(text.begin(), text.end(), is_address_sign))
    return unusable("has a space, a control character or another character that an address cannot contain");
  const Split parts = split(text);
  Url url;
  url.tls = iequals(parts.scheme, "https");
  if (!url.tls && !iequals(parts.scheme, "http")) return unusable("is not https or http");
  // Parsed separately and first: within an address, Boost.URL 1.81 ends the authority "good:80@evil" before the "@".
  const auto authority = urls::parse_authority(text_of(parts.authority));
  if (!authority) return unusable("has no valid host or port");
  if (!urls::parse_uri(text_of(text))) return unusable("has a misplaced percent sign or bracket");
  auto place = place_of(*authority);
  if (!place) return place.error();
  url.host = std::move(place->host);
  url.port = place->port.value_or(url.tls ? https_port : http_port);
  if (url.port == 0) return unusable("has no valid port");
  url.target = (parts.target.starts_with('/') ? "" : "/") + std::string(parts.target);
  url.has_fragment = parts.has_fragment;
  if (authority->has_userinfo()) url.user = Secret(std::string(view_of(authority->encoded_userinfo())));
  return url;
}

Result<Url> resolve_reference(const Url& from, std::string_view location) {
  location = location.substr(0, location.find('#'));
  if (has_scheme(location)) return parse_url(location);
  const auto scheme = std::string(from.scheme()) + ':';
  if (location.starts_with("//")) return parse_url(scheme + std::string(location));
  return parse_url(scheme + "//" + from.authority() + merged(from, location));
}

Result<Url> parse_proxy_url(std::string_view text) {
  const bool has_scheme = text.find("://") != std::string_view::npos;
  auto url = parse_url(has_scheme ? std::string(text) : "http://" + std::string(text));
  if (!url) return url;
  if (url->tls || url->target != "/" || url->has_fragment) return unusable("is not of the form http://host:port");
  return url;
}

Result<HostPort> parse_host_port(std::string_view text) {
  const auto parts = urls::parse_authority(text_of(text));
  if (!parts || parts->has_userinfo()) return unusable("has no valid host or port");
  return place_of(*parts);
}

std::string endpoint_text(std::string_view host, std::uint16_t port) {
  const bool v6 = host.find(':') != std::string_view::npos;
  std::string text;
  if (v6) text += '[';
  text += host;
  if (v6) text += ']';
  text += ':';
  return text += std::to_string(port);
}

bool is_ip_address(std::string_view host) {
  return urls::parse_ipv4_address(text_of(host)).has_value() || urls::parse_ipv6_address(text_of(host)).has_value();
}

bool is_loopback(std::string_view host) {
  if (const auto v4 = urls::parse_ipv4_address(text_of(host))) return v4->is_loopback();
  if (const auto v6 = urls::parse_ipv6_address(text_of(host))) return v6->is_loopback();
  return host == "localhost";
}

}  // namespace vtmirror::base
