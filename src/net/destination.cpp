#include "net/destination.hpp"

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

}  // namespace vtmirror::net
