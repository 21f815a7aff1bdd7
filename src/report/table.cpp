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
