#include "base/redaction.hpp"
#include "vtmirror/base/text.hpp"
#include "vtmirror/base/utf8.hpp"

#include <algorithm>

namespace vtmirror::base {
namespace {

constexpr std::string_view cut_mark = "...";

/// One character, made safe for a log line.
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
  while (end > 0 && !begins_character(text[end])) --end;
  text.resize(end);
  if (marked) text += cut_mark;
  return text;
}

}  // namespace

std::string printable(std::string_view text, std::size_t limit) {
  // Redacted before it is cut: half a name would not be recognised.
  return cut(without_controls(redacted(text)), limit);
}

}  // namespace vtmirror::base
