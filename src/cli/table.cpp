#include "cli/table.hpp"

#include <algorithm>
#include <utility>

namespace vtmirror::cli {
namespace {

constexpr std::string_view gap = "  ";
constexpr std::string_view dots = "...";

bool begins_character(char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }

/// Where the character number `index` begins.
std::size_t offset_of(std::string_view text, std::size_t index) {
  std::size_t at = 0;
  for (std::size_t seen = 0; at < text.size(); ++at) {
    if (begins_character(text[at]) && seen++ == index) return at;
  }
  return at;
}

}  // namespace

std::size_t columns_of(std::string_view text) noexcept {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), begins_character));
}

std::string cut_end(std::string_view text, std::size_t columns) {
  return std::string(text.substr(0, offset_of(text, columns)));
}

std::string cut_middle(std::string_view text, std::size_t columns) {
  const auto length = columns_of(text);
  if (length <= columns) return std::string(text);
  if (columns <= dots.size()) return cut_end(text, columns);
  const auto kept = columns - dots.size();
  // The dates that tell our files apart stand at their ends.
  const auto tail = (kept * 3 + 3) / 4;
  return cut_end(text, kept - tail) + std::string(dots) + std::string(text.substr(offset_of(text, length - tail)));
}

Table::Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

void Table::add(std::vector<std::string> cells) {
  cells.resize(columns_.size());
  rows_.push_back(std::move(cells));
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

std::string Table::text(std::size_t width) const {
  std::vector<std::vector<std::string>> lines;
  auto& headings = lines.emplace_back();
  for (const auto& column : columns_) headings.push_back(column.heading);
  lines.insert(lines.end(), rows_.begin(), rows_.end());

  std::vector<std::size_t> widths(columns_.size());
  for (const auto& cells : lines) {
    for (std::size_t i = 0; i < widths.size(); ++i) widths[i] = std::max(widths[i], columns_of(cells[i]));
  }
  std::string text;
  for (const auto& cells : lines) {
    const auto whole = line(cells, widths);
    text += (width == 0 ? whole : cut_end(whole, width)) + '\n';
  }
  return text;
}

}  // namespace vtmirror::cli
