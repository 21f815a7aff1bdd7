// Lines of a status for people: rows under labels, wrapped to a width, coloured where that is wanted.
// Promises that no line is wider than the width.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace vtmirror::report {

enum class Tone { plain, strong, alarm };

class Page {
 public:
  /// A width of 0 is none.
  Page(std::size_t width, bool colour) : width_(width), colour_(colour) {}

  /// A text from the first column on, wrapped.
  void text(std::string_view words, Tone tone = Tone::plain);
  /// A text behind its label; with an empty label it goes on below the row before.
  void row(std::string_view label, std::string_view words, Tone tone = Tone::plain);
  /// A line as it is, cut.
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
