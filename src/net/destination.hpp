// Checks where a request may go: to an https address, or to an http one if that is allowed.
// Promises that no user name or password is sent. Never resolves a name.
#pragma once

#include "vtmirror/base/result.hpp"
#include "vtmirror/base/url.hpp"

#include <string>
#include <string_view>

namespace vtmirror::net {

/// An address as errors name it: without its query, or by host and port alone where its path is private.
std::string shown(const base::Url& url, bool private_path);

/// Errors: protocol; config for an http address that is not allowed.
base::Result<base::Url> parse_destination(std::string_view text, bool allow_http, bool private_path = false);

/// Resolves a redirect's location against the address of the request. Errors: as above.
base::Result<base::Url> redirected(const base::Url& from, std::string_view location, bool allow_http);

}  // namespace vtmirror::net
