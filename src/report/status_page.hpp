// The lines of a status table: labelled rows, wrapped to a width, in colour if wanted.
// Promises that no line is wider than the width. Also times in a reader's words.
#pragma once

#include "vtmirror/report/status.hpp"

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

/// Times relative to now, for people: "tomorrow 08:03", "in 14h", "3 days ago". Pure.
class ReaderClock {
 public:
  ReaderClock(base::Time now, const TableLook& look) : now_(now), look_(look) {}

  /// "today 08:03", "yesterday 08:03", "2026-11-25 08:03"; with "UTC" if the reader's time zone is unknown.
  std::string at(base::Time time) const;
  /// "in 14h", "12s ago", "now".
  std::string away(base::Time time) const;
  /// "today", "3 days ago", "in 103 days".
  std::string away(base::Date day) const;

 private:
  base::Date today() const;

  base::Time now_;
  const TableLook& look_;
};

}  // namespace vtmirror::report
