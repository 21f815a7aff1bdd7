#include "settings/checks.hpp"

#include "vtmirror/base/text.hpp"
#include "vtmirror/base/url.hpp"
#include "vtmirror/core/notice.hpp"
#include "vtmirror/host/host.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <span>

namespace vtmirror::settings::check {
namespace {

constexpr std::string_view is_required = "is required";
constexpr auto hook_event_names = [] {
  std::array<std::string_view, core::subscribable.size()> names;
  std::ranges::transform(core::subscribable, names.begin(), [](core::Topic topic) { return core::name(topic); });
  return names;
}();
/// sun_path holds 108 bytes with its closing zero.
constexpr std::size_t longest_socket = 107;
constexpr int longest_warning = 3650;

bool has_space_or_control(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](unsigned char c) { return c <= 0x20 || c == 0x7f; });
}

/// `wanted`, and for an http or https address also what is wrong with it.
std::string not_usable(std::string_view url, std::string_view wanted, const base::Error& why) {
  const auto scheme = url.substr(0, url.find("://"));
  const bool looks_right = base::iequals(scheme, "https") || base::iequals(scheme, "http");
  return std::string(wanted) + (looks_right ? "; this one " + why.detail : "");
}

/// One address alone: a mail program would read a list, a name or a comment beside it in its own way.
bool is_mail_address(std::string_view text) {
  const auto at = text.find('@');
  return at != std::string_view::npos && at > 0 && at + 1 < text.size() && at == text.rfind('@') &&
         !text.starts_with('-') && text.find_first_of(",;<>()") == std::string_view::npos &&
         !has_space_or_control(text);
}

std::string hint(std::string_view word, std::span<const std::string_view> words) {
  const auto near = base::nearest(word, words);
  return near.empty() ? std::string() : ", did you mean \"" + std::string(near) + "\"?";
}

std::string alternatives(std::span<const std::string_view> words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += i + 1 == words.size() ? " or " : ", ";
    text += '"' + std::string(words[i]) + '"';
  }
  return text;
}

}  // namespace

std::string required(const std::string& text) { return base::trim(text).empty() ? std::string(is_required) : ""; }

std::string required_address(const std::string& url, bool allow_http) {
  if (url.empty()) return std::string(is_required);
  const auto address = base::parse_url(url);
  if (!address) return not_usable(url, "must be an https address", address.error());
  if (address->user) return "must not contain a user or a password";
  if (address->has_query()) return "must not contain a query";
  if (address->has_fragment) return "must not contain a fragment (#)";
  if (address->tls) return {};
  if (!allow_http) return "must be an https address";
  return base::is_loopback(address->host) ? "" : "plain http is only for loopback hosts: use https";
}

std::string base_address(const std::string& url, const std::string& listing_path, bool allow_http) {
  if (auto wrong = required_address(url, allow_http); !wrong.empty()) return wrong;
  const auto address = base::parse_url(url);
  auto path = std::string(address->path());
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  if (listing_path.size() < 2 || !path.ends_with(listing_path)) return {};
  return "must not end in the listing's path, " + base::printable(listing_path, 80) +
         ": it is added from service.listing_path";
}

std::string web_address(const std::string& url) {
  if (url.empty()) return {};
  const auto address = base::parse_url(url);
  if (!address) return not_usable(url, "must be an http or https address", address.error());
  if (address->has_fragment) return "must not contain a fragment (#)";
  // The HTTP client refuses such an address, so every delivery would fail.
  return address->user ? "must not contain a user or a password" : "";
}

std::string proxy(const std::string& url) {
  const bool has_scheme = url.find("://") != std::string::npos;
  if (url.empty() || (has_scheme && base::parse_proxy_url(url))) return {};
  return "must be the http address of a proxy (\"http://proxy.example:3128\")";
}

std::string listen_address(const std::string& address) {
  if (address.empty()) return {};
  const auto place = base::parse_host_port(address);
  if (!place || place->port.value_or(0) == 0) return "must be an address and a port (\"127.0.0.1:9464\")";
  const bool is_of_this_machine = base::is_ip_address(place->host) && base::is_loopback(place->host);
  return is_of_this_machine ? "" : "must be a loopback address, such as \"127.0.0.1:9464\"";
}

namespace {

/// As IPv6; an IPv4 address is a mapped one.
using Address = std::array<unsigned char, 16>;
constexpr std::string_view mapped("\0\0\0\0\0\0\0\0\0\0\xff\xff", 12);

std::optional<Address> address_of(const std::string& host) {
  Address address{};
  if (::inet_pton(AF_INET6, host.c_str(), address.data()) == 1) return address;
  std::ranges::copy(mapped, address.begin());
  if (::inet_pton(AF_INET, host.c_str(), address.data() + mapped.size()) == 1) return address;
  return std::nullopt;
}

bool is_ipv4(const Address& address) {
  return std::equal(mapped.begin(), mapped.end(), address.begin(),
                    [](char a, unsigned char b) { return static_cast<unsigned char>(a) == b; });
}

/// Whether a listener at `all` has the port at `one` too.
bool contains(const Address& all, const Address& one) {
  if (all == one || all == Address{}) return true;
  const bool is_any_ipv4 =
      is_ipv4(all) && std::all_of(all.begin() + mapped.size(), all.end(), [](unsigned char byte) { return byte == 0; });
  return is_any_ipv4 && is_ipv4(one);
}

bool collide(const std::string& a, const std::string& b) {
  const auto one = base::parse_host_port(a);
  const auto other = base::parse_host_port(b);
  if (!one || !other || one->port != other->port) return false;
  const auto first = address_of(one->host);
  const auto second = address_of(other->host);
  return first && second && (contains(*first, *second) || contains(*second, *first));
}

}  // namespace

std::string web_listen_address(const std::string& address, const std::string& metrics) {
  if (address.empty()) return {};
  const auto place = base::parse_host_port(address);
  const bool is_complete = place && place->port.value_or(0) != 0 && base::is_ip_address(place->host);
  if (!is_complete) return "must be an IP address and a port (\"127.0.0.1:9465\")";
  return collide(address, metrics) ? "needs another port than control.metrics" : "";
}

std::string scope(const std::string& scope) {
  if (scope.empty()) return std::string(is_required);
  return scope.ends_with(".default") && !has_space_or_control(scope) ? "" : "must end in .default";
}

std::string request_path(const std::string& path) {
  constexpr std::string_view wanted = "must be a path that begins with /";
  if (!path.starts_with('/')) return std::string(wanted);
  const auto address = base::parse_url("https://host" + path);
  if (!address) return std::string(wanted) + "; this one " + address.error().detail;
  return address->has_fragment ? "must not contain a fragment (#)" : "";
}

std::string path(const std::string& path) {
  return path.empty() || path.starts_with('/') ? "" : "must be an absolute path";
}

std::string file_path(const std::string& file) {
  if (auto wrong = path(file); !wrong.empty()) return wrong;
  return file.ends_with('/') ? "must not end in /" : "";
}

std::string socket(const std::string& path) {
  if (!path.starts_with('/')) return "must be an absolute path";
  if (path.ends_with('/')) return "must not end in /";
  return path.size() <= longest_socket ? "" : "must be at most 107 bytes long";
}

std::string one_of(const std::string& word, std::span<const std::string_view> words) {
  if (std::find(words.begin(), words.end(), word) != words.end()) return {};
  return "must be " + alternatives(words) + hint(word, words);
}

std::string one_of(const std::string& word, std::initializer_list<std::string_view> words) {
  return one_of(word, std::span(words.begin(), words.size()));
}

std::string email(const std::string& address, bool needed) {
  if (address.empty()) return needed ? "is required if credentials.auto_rotate is true" : "";
  return is_mail_address(address) ? "" : "must be an e-mail address";
}

namespace {

bool is_network(std::string_view text) {
  const auto slash = std::min(text.find('/'), text.size());
  const auto address = text.substr(0, slash);
  const auto bits = base::parse_int(text.substr(std::min(slash + 1, text.size())));
  const int most = address.find(':') == std::string_view::npos ? 32 : 128;
  return base::is_ip_address(address) && bits && *bits >= 0 && *bits <= most;
}

bool is_host_rule(std::string_view text) {
  if (text.find('/') != std::string_view::npos) return is_network(text);
  if (text == "*" || base::is_ip_address(text)) return true;
  if (text.starts_with("*.")) text.remove_prefix(1);
  if (text.starts_with('.')) text.remove_prefix(1);
  const auto place = base::parse_host_port(text);
  return place && !place->host.empty() && text.find_first_of("*,") == std::string_view::npos;
}

}  // namespace

std::string no_proxy(const Texts& hosts) {
  for (const auto& host : hosts) {
    if (!is_host_rule(host))
      return '"' + base::printable(host, 80) + "\" is not a host, a domain, an address or a network (\"10.0.0.0/8\")";
  }
  return {};
}

std::string mail_addresses(const Texts& addresses) {
  for (const auto& address : addresses) {
    if (!is_mail_address(address)) return '"' + base::printable(address, 80) + "\" is not an e-mail address";
  }
  return {};
}

std::string sendmail(const std::string& program, const Texts& mail_to) {
  if (program.empty() && !mail_to.empty()) return "is required if notify.mail_to is set";
  return path(program);
}

std::string warn_days(const Numbers& days, bool auto_rotate) {
  for (const int day : days) {
    if (auto complaint = within(day, 1, longest_warning); !complaint.empty()) return complaint;
  }
  const bool descending = std::adjacent_find(days.begin(), days.end(), std::less_equal<>()) == days.end();
  if (!descending) return "must be in descending order, each day once";
  return auto_rotate && days.empty() ? "must contain a day if credentials.auto_rotate is true" : "";
}

/// Rules that cannot be read now are no mistake of the settings: what needs them fails by itself, and may be tried
/// again.
std::string time_zone(const std::string& name) {
  const auto zone = host::load_zone(name);
  return zone || zone.error().code == base::Errc::io ? "" : zone.error().detail;
}

std::string within(int number, int least, int most) {
  if (number >= least && number <= most) return {};
  return "must be between " + std::to_string(least) + " and " + std::to_string(most);
}

std::string within(std::chrono::seconds duration, std::chrono::seconds least, std::chrono::seconds most) {
  if (duration >= least && duration <= most) return {};
  return "must be between " + base::human_duration(least) + " and " + base::human_duration(most);
}

std::string scrub(std::chrono::seconds every) {
  constexpr auto least = std::chrono::days(1);
  constexpr auto most = std::chrono::days(3650);
  if (every == std::chrono::seconds::zero() || (every >= least && every <= most)) return {};
  return "must be \"0\", or at least \"1d\" and at most \"3650d\"";
}

std::string hook_events(const Texts& events) {
  if (events.empty()) return "must name an event: " + alternatives(hook_event_names);
  for (const auto& event : events) {
    if (std::find(hook_event_names.begin(), hook_event_names.end(), event) != hook_event_names.end()) continue;
    return "unknown event \"" + base::printable(event, 80) + "\", must be " + alternatives(hook_event_names) +
           hint(event, hook_event_names);
  }
  return {};
}

std::string command(const Texts& command) {
  return command.empty() || command.front().empty() ? std::string(is_required) : "";
}

}  // namespace vtmirror::settings::check
