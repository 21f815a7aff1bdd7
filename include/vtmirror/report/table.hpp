// Texts as a terminal has room for them: rows under headings in aligned columns, and lines broken between words. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace vtmirror::report {

/// The width of a text on a terminal: each UTF-8 character counts as one column.
std::size_t columns_of(std::string_view text) noexcept;

/// A file's name without its directories.
std::string base_name(std::string_view name);

/// What the status and the progress call a file: its short name, or its name without the directories if it has none.
std::string title_of(std::string_view name);

/// `text` with its middle replaced by "..." to fit `columns`: the ends of file names are what differs.
std::string cut_middle(std::string_view text, std::size_t columns);

/// `text` cut to `columns`.
std::string cut_end(std::string_view text, std::size_t columns);

/// The text with every line at most `width` columns wide, unless a single word is longer; what follows a break is
/// indented by four columns more than the line. A command between backticks counts as one word if it fits a line. 0
/// is unlimited. The text begins behind `before` columns of its first line.
std::string wrapped(std::string_view text, std::size_t width, std::size_t before = 0);

enum class Align { left, right };

struct Column {
  std::string heading;
  Align align = Align::left;
  int goes = 0;  ///< the turn in which it is left out if there is no room; 0: never
};

class Table {
 public:
  explicit Table(std::vector<Column> columns);
  /// One cell for each column; missing cells are empty.
  void add(std::vector<std::string> cells);
  std::size_t rows() const { return rows_.size(); }
  std::size_t columns() const { return columns_.size(); }
  /// Whether no line is wider than `width`; 0 is unlimited.
  bool fits(std::size_t width) const;
  /// Without the columns that are left out in their turn until the rest fits. If `last_wraps`, the cells of the last
  /// column do not count, because `flowing_text` wraps them. What never goes may still be wider than `width`.
  Table narrowed(std::size_t width, bool last_wraps = false) const;
  /// A line for the headings and for each row, without trailing spaces. Lines are cut to `width` unless it is 0.
  std::string text(std::size_t width) const;
  /// The same, but nothing is cut: a last cell that does not fit is wrapped between words, below its row.
  std::string flowing_text(std::size_t width) const;

 private:
  std::size_t width_of_lines(bool last_wraps) const;
  bool leave_out_next();
  std::vector<std::string> headings() const;
  std::vector<std::size_t> widths() const;
  std::string line(const std::vector<std::string>& cells, const std::vector<std::size_t>& widths) const;
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace vtmirror::report
