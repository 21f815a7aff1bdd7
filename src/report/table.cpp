#include "vtmirror/report/table.hpp"

#include "vtmirror/base/encoding.hpp"
#include "vtmirror/base/text.hpp"
#include "vtmirror/core/listing.hpp"

#include <algorithm>
#include <utility>

namespace vtmirror::report {
namespace {

constexpr std::string_view gap = "  ";
constexpr std::string_view dots = "...";

/// The offset of the character with that index.
std::size_t offset_of(std::string_view text, std::size_t index) {
  std::size_t at = 0;
  for (std::size_t seen = 0; at < text.size(); ++at) {
    if (base::begins_character(text[at]) && seen++ == index) return at;
  }
  return at;
}

/// Indented lines of at most `width` columns, unless a single word is longer.
std::string below(std::string_view words, std::size_t width) {
  constexpr std::string_view indent = "    ";
  std::string text;
  std::string line;
  while (!words.empty()) {
    const auto end = std::min(words.find(' '), words.size());
    const auto word = words.substr(0, end);
    words.remove_prefix(std::min(end + 1, words.size()));
    if (!line.empty() && columns_of(line) + 1 + columns_of(word) > width) text += std::exchange(line, {}) + '\n';
    line += line.empty() ? std::string(indent) : " ";
    line += word;
  }
  return line.empty() ? text : text + line + '\n';
}

/// The columns by which what follows a break is indented.
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

std::size_t columns_of(std::string_view text) noexcept {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), base::begins_character));
}

std::string cut_end(std::string_view text, std::size_t columns) {
  return std::string(text.substr(0, offset_of(text, columns)));
}

std::string base_name(std::string_view name) { return std::string(base::leaf_of(name)); }

std::string title_of(std::string_view name) { return base_name(core::short_name(name)); }

std::string cut_middle(std::string_view text, std::size_t columns) {
  const auto length = columns_of(text);
  if (length <= columns) return std::string(text);
  if (columns <= dots.size()) return cut_end(text, columns);
  const auto kept = columns - dots.size();
  // File names differ in the day at their end, which must not be cut.
  constexpr std::string_view day = "15-11-2026.zip";
  const auto tail = std::max((kept * 3 + 3) / 4, kept < day.size() ? 0 : day.size());
  return cut_end(text, kept - tail) + std::string(dots) + std::string(text.substr(offset_of(text, length - tail)));
}

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

Table::Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

void Table::add(std::vector<std::string> cells) {
  cells.resize(columns_.size());
  rows_.push_back(std::move(cells));
}

std::vector<std::string> Table::headings() const {
  std::vector<std::string> cells;
  for (const auto& column : columns_) cells.push_back(column.heading);
  return cells;
}

std::string Table::line(const std::vector<std::string>& cells, const std::vector<std::size_t>& widths) const {
  std::string text;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const std::string padding(widths[i] - columns_of(cells[i]), ' ');
    if (i > 0) text += gap;
    text += columns_[i].align == Align::right ? padding + cells[i] : cells[i] + padding;
  }
  return text.erase(text.find_last_not_of(' ') + 1);
}

std::vector<std::size_t> Table::widths() const {
  std::vector<std::size_t> widths;
  for (const auto& column : columns_) widths.push_back(columns_of(column.heading));
  for (const auto& cells : rows_) {
    for (std::size_t i = 0; i < widths.size(); ++i) widths[i] = std::max(widths[i], columns_of(cells[i]));
  }
  return widths;
}

std::size_t Table::width_of_lines(bool last_wraps) const {
  const auto widths = this->widths();
  auto widest = columns_of(line(headings(), widths));
  for (auto cells : rows_) {
    if (last_wraps) cells.back().clear();
    widest = std::max(widest, columns_of(line(cells, widths)));
  }
  return widest;
}

bool Table::leave_out_next() {
  auto next = columns_.end();
  for (auto each = columns_.begin(); each != columns_.end(); ++each)
    if (each->goes > 0 && (next == columns_.end() || each->goes < next->goes)) next = each;
  if (next == columns_.end()) return false;
  for (auto& cells : rows_) cells.erase(cells.begin() + (next - columns_.begin()));
  columns_.erase(next);
  return true;
}

bool Table::fits(std::size_t width) const { return width == 0 || width_of_lines(false) <= width; }

Table Table::narrowed(std::size_t width, bool last_wraps) const {
  Table table = *this;
  while (width > 0 && table.width_of_lines(last_wraps) > width && table.leave_out_next()) continue;
  return table;
}

std::string Table::text(std::size_t width) const {
  const auto fitted = [width](const std::string& whole) { return width == 0 ? whole : cut_end(whole, width); };
  const auto widths = this->widths();
  std::string text = fitted(line(headings(), widths)) + '\n';
  for (const auto& cells : rows_) text += fitted(line(cells, widths)) + '\n';
  return text;
}

std::string Table::flowing_text(std::size_t width) const {
  const auto widths = this->widths();
  std::string text = line(headings(), widths) + '\n';
  for (auto cells : rows_) {
    const auto whole = line(cells, widths);
    if (width == 0 || columns_of(whole) <= width) {
      text += whole + '\n';
      continue;
    }
    const auto last = std::exchange(cells.back(), {});
    text += line(cells, widths) + '\n' + below(last, width);
  }
  return text;
}

}  // namespace vtmirror::report
