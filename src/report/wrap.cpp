#include "vtmirror/report/wrap.hpp"

#include "vtmirror/report/table.hpp"

#include <algorithm>

namespace vtmirror::report {
namespace {

constexpr std::size_t deeper = 4;

/// The end of the word that the text begins with. `room` is what a line has for words.
std::size_t end_of_word(std::string_view text, std::size_t room) {
  const auto space = std::min(text.find(' '), text.size());
  const auto quote = text.find('`');
  if (quote >= space) return space;
  const auto close = text.find('`', quote + 1);
  if (close == std::string_view::npos) return space;
  const auto end = std::min(text.find(' ', close), text.size());
  return columns_of(text.substr(0, end)) <= room ? end : space;
}

std::string wrapped_line(std::string_view line, std::size_t width, std::size_t before) {
  std::string text;
  // Spaces that a line begins with are its own.
  const auto spaces = std::min(line.find_first_not_of(' '), line.size());
  const std::string indent(spaces + deeper, ' ');
  const auto room = width > indent.size() ? width - indent.size() : 0;
  std::size_t columns = before;
  while (!line.empty()) {
    const bool is_first = text.empty();
    const auto begin = is_first ? spaces : 0;
    const auto end = begin + end_of_word(line.substr(begin), room);
    const auto word = line.substr(0, end);
    line.remove_prefix(std::min(end + 1, line.size()));
    const auto length = columns_of(word);
    const bool breaks = !is_first && columns + 1 + length > width;
    const auto between = breaks ? "\n" + indent : std::string(is_first ? "" : " ");
    columns = (breaks ? indent.size() : columns + between.size()) + length;
    if (breaks) text.erase(text.find_last_not_of(' ') + 1);
    text += between;
    text += word;
  }
  return text;
}

}  // namespace

std::string wrapped(std::string_view text, std::size_t width, std::size_t before) {
  if (width == 0) return std::string(text);
  std::string lines;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    const auto line = text.substr(0, end);
    lines += before + columns_of(line) <= width ? std::string(line) : wrapped_line(line, width, before);
    before = 0;
    if (end < text.size()) lines += '\n';
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

}  // namespace vtmirror::report
