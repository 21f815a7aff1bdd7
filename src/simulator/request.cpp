#include "simulator/request.hpp"

#include "vtmirror/base/encoding.hpp"

#include <algorithm>

namespace vtmirror::simulator {
namespace {

/// Decodes a field of a form or a query, in which "+" is a space.
std::string decode(std::string_view text) {
  std::string spaced(text);
  std::replace(spaced.begin(), spaced.end(), '+', ' ');
  return base::percent_decoded(spaced);
}

}  // namespace

std::string_view name(At at) noexcept {
  switch (at) {
    case At::api:
      return "api";
    case At::issuer:
      return "issuer";
    case At::store:
      return "store";
    case At::control:
      return "control";
  }
  return "";
}

std::optional<std::string_view> Request::header(std::string_view name) const {
  const auto found = std::find_if(headers.begin(), headers.end(), [&](const auto& each) { return each.first == name; });
  if (found == headers.end()) return std::nullopt;
  return found->second;
}

std::vector<std::pair<std::string, std::string>> parameters(std::string_view text) {
  std::vector<std::pair<std::string, std::string>> all;
  while (!text.empty()) {
    const std::string_view one = text.substr(0, text.find('&'));
    text.remove_prefix(std::min(text.size(), one.size() + 1));
    const std::size_t equals = std::min(one.find('='), one.size());
    const std::string_view value = equals < one.size() ? one.substr(equals + 1) : std::string_view{};
    all.emplace_back(decode(one.substr(0, equals)), decode(value));
  }
  return all;
}

std::optional<std::string> parameter(std::string_view text, std::string_view name) {
  std::optional<std::string> found;
  for (auto& [key, value] : parameters(text)) {
    if (key != name) continue;
    if (found) return std::nullopt;
    found = std::move(value);
  }
  return found;
}

}  // namespace vtmirror::simulator
