// Rows under headings, in aligned columns, for people.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace vtmirror::report {

/// Columns that a text takes on a terminal: a character of UTF-8 counts as one.
std::size_t columns_of(std::string_view text) noexcept;

/// `text` with its middle replaced by "..." so that it takes at most `columns`: the ends of a name tell files apart.
std::string cut_middle(std::string_view text, std::size_t columns);

/// `text` without what is beyond `columns`.
std::string cut_end(std::string_view text, std::size_t columns);

enum class Align { left, right };

struct Column {
  std::string heading;
  Align align = Align::left;
};

class Table {
 public:
  explicit Table(std::vector<Column> columns);
  /// A cell for each column; missing ones are empty.
  void add(std::vector<std::string> cells);
  std::size_t rows() const { return rows_.size(); }
  /// Headings and rows, a line each, without spaces at their ends; lines are cut to `width` where it is not 0.
  std::string text(std::size_t width) const;
  /// The same, but nothing is cut: a last cell that does not fit goes on below its row, broken between words.
  std::string flowing_text(std::size_t width) const;

 private:
  std::vector<std::string> headings() const;
  std::vector<std::size_t> widths() const;
  std::string line(const std::vector<std::string>& cells, const std::vector<std::size_t>& widths) const;
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace vtmirror::report
