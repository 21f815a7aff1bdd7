#include "base/redaction.hpp"
#include "vtmirror/base/text.hpp"
#include "vtmirror/base/utf8.hpp"

#include <algorithm>

namespace vtmirror::base {
namespace {

constexpr std::string_view cut_mark = "...";

/// One character fit for a log line.
std::string_view plain(std::string_view character, CodePoint point) {
  if (point.length == 0) return "?";
  if (point.value == '\n' || point.value == '\r' || point.value == '\t') return " ";
  return is_control(point.value) ? "?" : character;
}

std::string without_controls(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const CodePoint point = first_code_point(text);
    const std::string_view character = text.substr(0, point.length == 0 ? 1 : point.length);
    result += plain(character, point);
    text.remove_prefix(character.size());
  }
  return result;
}

/// At most `limit` bytes, cut between two characters.
std::string cut(std::string text, std::size_t limit) {
  if (text.size() <= limit) return text;
  const bool marked = limit > 2 * cut_mark.size();
  std::size_t end = marked ? limit - cut_mark.size() : limit;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0u) == 0x80) --end;
  text.resize(end);
  if (marked) text += cut_mark;
  return text;
}

}  // namespace

std::string printable(std::string_view text, std::size_t limit) {
  // Redacted before it is cut: half a name would hide nothing.
  return cut(without_controls(redacted(text)), limit);
}

std::string without_query(std::string_view url) {
  std::string_view rest = url.substr(0, url.find_first_of("?#"));
  std::string_view scheme;
  const auto separator = rest.find("://");
  if (separator != std::string_view::npos) {
    scheme = rest.substr(0, separator + 3);
    rest.remove_prefix(scheme.size());
  }
  // Without a scheme there is no telling where the user part would end.
  const auto authority = scheme.empty() ? rest.size() : std::min(rest.find_first_of("/\\"), rest.size());
  const auto at = rest.substr(0, authority).rfind('@');
  if (at != std::string_view::npos) rest.remove_prefix(at + 1);
  return without_controls(redacted(std::string{scheme} + std::string{rest}));
}

}  // namespace vtmirror::base
