#include "mirror/place.hpp"

#include <algorithm>
#include <cstddef>

namespace vtmirror::mirror {
namespace {

constexpr std::size_t longest_part = 200;
constexpr std::string_view cut = "%/";  // an encoded name contains no slash, so this pair always marks a split

std::string encoded(std::string_view name) {
  std::string text;
  for (const char c : name) {
    if (c == '/')
      text += "%2F";
    else if (c == '%')
      text += "%25";
    else
      text += c;
  }
  if (text.ends_with(reason_suffix)) text.replace(text.size() - reason_suffix.size(), 1, "%2E");
  return text;
}

std::optional<char> decoded(std::string_view escape) {
  if (escape == "%2F") return '/';
  if (escape == "%25") return '%';
  if (escape == "%2E") return '.';
  return std::nullopt;
}

std::string without_cuts(std::string_view flat) {
  std::string text;
  for (std::size_t at = 0; at < flat.size();) {
    const auto next = std::min(flat.find(cut, at), flat.size());
    text += flat.substr(at, next - at);
    at = next + cut.size();
  }
  return text;
}

}  // namespace

std::string flat_name(std::string_view name) {
  const std::string text = encoded(name);
  std::string flat;
  for (std::size_t at = 0; at < text.size(); at += longest_part) {
    if (at != 0) flat += cut;
    flat += text.substr(at, longest_part);
  }
  return flat;
}

std::optional<std::string> listed_name(std::string_view flat) {
  const std::string text = without_cuts(flat);
  std::string name;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '%') {
      name += text[at];
      continue;
    }
    const auto c = decoded(std::string_view(text).substr(at, 3));
    if (!c) return std::nullopt;
    name += *c;
    at += 2;
  }
  if (name.empty() || flat_name(name) != flat) return std::nullopt;
  return name;
}

}  // namespace vtmirror::mirror
