// A request as the service's parts see it, without sockets.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace vtmirror::simulator {

/// The listener that received the request. To a client, each is a host of its own.
enum class At { api, issuer, store, control };
std::string_view name(At at) noexcept;

using Headers = std::vector<std::pair<std::string, std::string>>;

struct Request {
  At at{};
  std::string method;
  std::string path;   ///< without the query
  std::string query;  ///< after the '?', as it was sent
  Headers headers;    ///< names in lower case
  std::string body;

  /// The first header with this name (in lower case).
  std::optional<std::string_view> header(std::string_view name) const;
};

/// The decoded parameters of a query or a form.
std::vector<std::pair<std::string, std::string>> parameters(std::string_view text);
/// The value of a parameter that occurs exactly once; else empty.
std::optional<std::string> parameter(std::string_view text, std::string_view name);

}  // namespace vtmirror::simulator
