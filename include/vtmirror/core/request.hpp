// The requests that a cycle begins with, by the names that errors and stored causes carry. Pure.
// What goes wrong with one of them concerns the settings that it is made of, and no file.
#pragma once

#include <optional>
#include <string_view>

namespace vtmirror::core {

enum class ServiceRequest { token, listing };

/// "token request", "listing request": for people, and in `base::Error::subject`.
constexpr std::string_view name(ServiceRequest request) noexcept {
  return request == ServiceRequest::token ? "token request" : "listing request";
}
constexpr std::optional<ServiceRequest> request_of(std::string_view word) noexcept {
  for (const auto request : {ServiceRequest::token, ServiceRequest::listing})
    if (name(request) == word) return request;
  return std::nullopt;
}

/// The issuer's own codes of a secret that is not the right one, or is no longer valid.
inline constexpr std::string_view wrong_secret = "AADSTS7000215";
inline constexpr std::string_view expired_secret = "AADSTS7000222";

}  // namespace vtmirror::core
