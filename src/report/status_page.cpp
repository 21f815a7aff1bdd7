#include "report/status_page.hpp"

#include "vtmirror/report/table.hpp"

#include <algorithm>
#include <utility>

namespace vtmirror::report {
namespace {

constexpr std::size_t label_columns = 10;
/// In a narrower window, a text starts directly after its label.
constexpr std::size_t least_width = 3 * label_columns;

std::string_view escape(Tone tone) {
  if (tone == Tone::strong) return "\x1b[1m";
  return tone == Tone::alarm ? "\x1b[31m" : "";
}

std::string_view take_word(std::string_view& words) {
  const auto begin = std::min(words.find_first_not_of(' '), words.size());
  const auto end = std::min(words.find(' ', begin), words.size());
  const auto word = words.substr(begin, end - begin);
  words.remove_prefix(end);
  return word;
}

}  // namespace

void Page::text(std::string_view words, Tone tone) { wrap({}, 0, words, tone); }

void Page::row(std::string_view label, std::string_view words, Tone tone) {
  if (width_ != 0 && width_ < least_width) {
    const auto whole = std::string(label) + (label.empty() ? "" : " ") + std::string(words);
    return wrap({}, 0, whole, tone);
  }
  std::string line(label);
  line.append(label_columns - std::min(label_columns, line.size()), ' ');
  wrap(std::move(line), label_columns, words, tone);
}

void Page::line(std::string_view whole) { put(width_ == 0 ? whole : cut_end(whole, width_), 0, Tone::plain); }

/// The first line begins with `line`, which is `indent` columns wide; the others begin with as many spaces.
void Page::wrap(std::string line, std::size_t indent, std::string_view words, Tone tone) {
  bool has_words = false;
  for (auto word = take_word(words); !word.empty(); word = take_word(words)) {
    while (!word.empty()) {
      const auto used = columns_of(line) + (has_words ? 1 : 0);
      const auto room = width_ == 0 ? std::string_view::npos : width_ - std::min(width_, used);
      const bool fits = columns_of(word) <= room;
      if (!fits && has_words) {
        put(line, indent, tone);
        line.assign(indent, ' ');
        has_words = false;
        continue;
      }
      const auto part = fits ? word : word.substr(0, cut_end(word, room).size());
      line += (has_words ? " " : "") + std::string(part);
      word.remove_prefix(part.size());
      has_words = true;
    }
  }
  put(line, indent, tone);
}

/// Labels have no colour, so that coloured texts stand out.
void Page::put(std::string_view line, std::size_t plain_columns, Tone tone) {
  const auto end = line.find_last_not_of(' ');
  line = line.substr(0, end == std::string_view::npos ? 0 : end + 1);
  const auto plain = std::min(plain_columns, line.size());
  const bool coloured = colour_ && tone != Tone::plain && plain < line.size();
  text_ += line.substr(0, plain);
  if (coloured) text_ += escape(tone);
  text_ += line.substr(plain);
  if (coloured) text_ += "\x1b[0m";
  text_ += '\n';
}

std::string ReaderClock::at(base::Time time) const {
  const auto day = local_day(time, look_.utc_offset);
  const auto near = near_day(day, today());
  return (near.empty() ? base::iso8601(day) : std::string(near)) + ' ' + minute_words(time, look_.utc_offset);
}

std::string ReaderClock::away(base::Time time) const { return away_words(time, now_); }

std::string ReaderClock::away(base::Date day) const {
  if (const auto near = near_day(day, today()); !near.empty()) return std::string(near);
  const auto left = base::days_between(today(), day);
  return left > 0 ? "in " + std::to_string(left) + " days" : std::to_string(-left) + " days ago";
}

base::Date ReaderClock::today() const { return local_day(now_, look_.utc_offset); }

}  // namespace vtmirror::report
