// The lines of a status table: labelled rows, wrapped to a width, in colour if wanted.
// Promises that no line is wider than the width.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace vtmirror::report {

enum class Tone { plain, strong, alarm };

class Page {
 public:
  /// A width of 0 is unlimited.
  Page(std::size_t width, bool colour) : width_(width), colour_(colour) {}

  /// A wrapped text that starts in the first column.
  void text(std::string_view words, Tone tone = Tone::plain);
  /// A text after its label. With an empty label, it continues the row above.
  void row(std::string_view label, std::string_view words, Tone tone = Tone::plain);
  /// A line that is cut instead of wrapped.
  void line(std::string_view whole);
  void blank() { text_ += '\n'; }

  std::size_t width() const { return width_; }
  const std::string& all() const { return text_; }

 private:
  void wrap(std::string line, std::size_t indent, std::string_view words, Tone tone);
  void put(std::string_view line, std::size_t plain_columns, Tone tone);

  std::size_t width_;
  bool colour_;
  std::string text_;
};

}  // namespace vtmirror::report
