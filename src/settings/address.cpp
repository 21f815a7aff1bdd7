#include "settings/address.hpp"

#include "vtmirror/base/text.hpp"

#include <algorithm>

namespace vtmirror::settings {
namespace {

bool is_plain(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](unsigned char c) { return c > 0x20 && c < 0x7f && c != '#'; });
}

bool is_port(std::string_view text) {
  const auto port = base::parse_int(text);
  return port.has_value() && *port >= 1 && *port <= 65'535;
}

struct HostPort {
  std::string_view host;
  std::optional<std::string_view> port;
};

std::optional<HostPort> split_port(std::string_view text) {
  HostPort parts{text, std::nullopt};
  if (text.starts_with('[')) {
    const auto end = text.find(']');
    if (end == std::string_view::npos) return std::nullopt;
    parts.host = text.substr(1, end - 1);
    text.remove_prefix(end + 1);
    if (text.empty()) return parts;
    if (text.front() != ':') return std::nullopt;
    parts.port = text.substr(1);
  } else if (const auto colon = text.find(':'); colon != std::string_view::npos) {
    parts = HostPort{text.substr(0, colon), text.substr(colon + 1)};
  }
  return parts;
}

}  // namespace

std::optional<Address> parse_address(std::string_view url) {
  const auto mark = url.find("://");
  if (mark == std::string_view::npos || !is_plain(url)) return std::nullopt;
  Address address;
  address.scheme = base::lower(url.substr(0, mark));
  url.remove_prefix(mark + 3);
  address.has_query = url.find('?') != std::string_view::npos;
  auto authority = url.substr(0, url.find_first_of("/?"));
  if (const auto at = authority.rfind('@'); at != std::string_view::npos) {
    address.has_user = true;
    authority.remove_prefix(at + 1);
  }
  const auto parts = split_port(authority);
  if (!parts || parts->host.empty() || (parts->port && !is_port(*parts->port))) return std::nullopt;
  address.host = base::lower(parts->host);
  return address;
}

bool is_host_and_port(std::string_view text) {
  const auto parts = split_port(text);
  return is_plain(text) && parts && !parts->host.empty() && parts->port && is_port(*parts->port);
}

bool is_loopback(std::string_view host) {
  const bool only_digits_and_dots = host.find_first_not_of("0123456789.") == std::string_view::npos;
  return host == "localhost" || host == "::1" || (host.starts_with("127.") && only_digits_and_dots);
}

}  // namespace vtmirror::settings
