#include "core/link.hpp"

#include "vtmirror/base/encoding.hpp"
#include "vtmirror/base/text.hpp"
#include "vtmirror/base/url.hpp"

#include <algorithm>
#include <optional>
#include <string>

namespace vtmirror::core {
namespace {

using base::Errc;
using base::Error;
using base::Result;
using std::chrono::seconds;

constexpr std::size_t longest_link = 8 * 1'024;
constexpr seconds usual_lifetime{300};             // vtmirror-service(7) 8
constexpr std::int64_t longest_expires = 604'800;  // a week, the longest lifetime that a store signs

Error refused(const std::string& why) { return Error{Errc::protocol, why}; }

/// The first value of that parameter, decoded; empty if the link has none.
std::string parameter(std::string_view link, std::string_view key) {
  const auto question = link.find('?');
  if (question == std::string_view::npos) return {};
  std::string_view query = link.substr(question + 1);
  query = query.substr(0, query.find('#'));
  while (!query.empty()) {
    const std::string_view pair = query.substr(0, query.find('&'));
    query.remove_prefix(std::min(pair.size() + 1, query.size()));
    const auto equals = std::min(pair.find('='), pair.size());
    if (!base::iequals(base::percent_decoded(pair.substr(0, equals)), key)) continue;
    return base::percent_decoded(pair.substr(std::min(equals + 1, pair.size())));
  }
  return {};
}

/// "20231207T110808Z" and "2023-12-07T110808Z".
std::optional<base::Time> signing_time(std::string text) {
  std::erase_if(text, [](char c) { return c == '-' || c == ':'; });
  if (text.size() != 16) return std::nullopt;
  const auto piece = [&text](std::size_t at, std::size_t count) { return text.substr(at, count); };
  const auto time =
      base::parse_time(piece(0, 4) + "-" + piece(4, 2) + "-" + piece(6, 5) + ":" + piece(11, 2) + ":" + piece(13, 3));
  return time ? std::optional{*time} : std::nullopt;
}

std::optional<seconds> signed_lifetime(std::string_view link) {
  const auto expires = base::parse_int(parameter(link, "X-Amz-Expires"));
  if (!expires || *expires < 1 || *expires > longest_expires) return std::nullopt;
  return seconds{*expires};
}

}  // namespace

Result<void> check_link(std::string_view link, const ListingRules& rules) {
  if (link.empty()) return refused("the link is empty");
  if (link.size() > longest_link) return refused("the link is longer than 8 KiB");
  const auto url = base::parse_url(link);
  if (!url) return refused("the link " + url.error().detail);
  if (!url->tls && !rules.allow_http) return refused("the link is not https");
  if (url->user) return refused("the link has a user part");
  return {};
}

seconds link_lifetime(std::string_view link, std::optional<base::Time> server_now) {
  const auto lifetime = signed_lifetime(link);
  if (!lifetime) return usual_lifetime;
  const auto signed_at = signing_time(parameter(link, "X-Amz-Date"));
  if (!signed_at) return std::min(*lifetime, usual_lifetime);
  if (!server_now) return *lifetime;
  const auto left = std::chrono::floor<seconds>(*signed_at + *lifetime - *server_now);
  return std::clamp(left, seconds{0}, *lifetime);
}

}  // namespace vtmirror::core
