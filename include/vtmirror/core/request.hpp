// The requests that a cycle begins with, by the names that errors and stored causes carry. Pure.
// What goes wrong with one of them concerns the settings that it is made of, and no file.
#pragma once

#include <optional>
#include <string_view>

namespace vtmirror::core {

enum class Request { token, listing };

/// "token request", "listing request": for people, and in `base::Error::subject`.
constexpr std::string_view name(Request request) noexcept {
  return request == Request::token ? "token request" : "listing request";
}
constexpr std::optional<Request> request_of(std::string_view word) noexcept {
  for (const auto request : {Request::token, Request::listing})
    if (name(request) == word) return request;
  return std::nullopt;
}

// `base::Error::service_code` of what the issuer or the service did not say itself, but what was found about it.

/// The issuer's own codes of a secret that is not the right one, or is no longer valid.
inline constexpr std::string_view wrong_secret = "AADSTS7000215";
inline constexpr std::string_view expired_secret = "AADSTS7000222";
/// This machine's clock and the server's differ, which may be why something new was refused as expired.
inline constexpr std::string_view clock_differs = "clock_differs";
/// Why a certificate was refused.
inline constexpr std::string_view unknown_authority = "unknown_authority";
inline constexpr std::string_view other_host = "other_host";
inline constexpr std::string_view outside_its_time = "outside_its_time";
/// A page for people came instead of an answer for programs: from a proxy, or a login page.
inline constexpr std::string_view web_page = "web_page";
/// The proxy on the way there cannot be reached, or made no connection; or it wants a login first.
inline constexpr std::string_view proxy_failed = "proxy_failed";
inline constexpr std::string_view proxy_login = "proxy_login";

}  // namespace vtmirror::core
