// A request as the service's parts see it, with nothing left of sockets.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace vtmirror::simulator {

/// The listener that took the request: what the client calls hosts.
enum class At { api, issuer, store, control };
std::string_view name(At at) noexcept;

using Headers = std::vector<std::pair<std::string, std::string>>;

struct Request {
  At at{};
  std::string method;
  std::string path;   ///< without the query
  std::string query;  ///< behind the '?', as it was sent
  Headers headers;    ///< names in lower case
  std::string body;

  /// The first header of this name (lower case).
  std::optional<std::string_view> header(std::string_view name) const;
};

/// The query's (or a form's) parameters, decoded.
std::vector<std::pair<std::string, std::string>> parameters(std::string_view text);
/// The value of a parameter, where it is there exactly once.
std::optional<std::string> parameter(std::string_view text, std::string_view name);

}  // namespace vtmirror::simulator
