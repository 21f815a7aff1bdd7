#include "simulator/request.hpp"

#include <algorithm>

namespace vtmirror::simulator {
namespace {

int nibble(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

std::string decode(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool escape = text[i] == '%' && i + 2 < text.size() && nibble(text[i + 1]) >= 0 && nibble(text[i + 2]) >= 0;
    if (escape) {
      out += static_cast<char>(nibble(text[i + 1]) * 16 + nibble(text[i + 2]));
      i += 2;
    } else {
      out += text[i] == '+' ? ' ' : text[i];
    }
  }
  return out;
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

std::string encode(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
                       c == '.' || c == '_' || c == '~';
    const auto byte = static_cast<unsigned char>(c);
    if (plain) {
      out += c;
    } else {
      out += {'%', "0123456789ABCDEF"[byte >> 4U], "0123456789ABCDEF"[byte & 15U]};
    }
  }
  return out;
}

}  // namespace vtmirror::simulator
