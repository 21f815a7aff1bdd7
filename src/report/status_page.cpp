#include "report/status_page.hpp"

#include "vtmirror/report/table.hpp"

#include <algorithm>
#include <chrono>
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

namespace {

using namespace std::chrono;

std::string span(seconds length) {
  if (length < 60s) return std::to_string(length.count()) + "s";
  if (const auto count = round<minutes>(length).count(); count < 60) return std::to_string(count) + "m";
  if (const auto count = round<hours>(length).count(); count < 48) return std::to_string(count) + "h";
  return std::to_string(round<days>(length).count()) + " days";
}

std::string two_digits(std::int64_t value) { return (value < 10 ? "0" : "") + std::to_string(value); }

}  // namespace

std::string ReaderClock::at(base::Time time) const {
  const auto days = base::days_between(day_of(now_), day_of(time));
  std::string text = base::iso8601(day_of(time));
  if (days >= -1 && days <= 1) text = days == 0 ? "today" : days > 0 ? "tomorrow" : "yesterday";
  const auto since_midnight = local(time) - sys_days(day_of(time));
  const auto minute = floor<minutes>(since_midnight).count();
  text += ' ' + two_digits(minute / 60) + ':' + two_digits(minute % 60);
  return look_.utc_offset ? text : text + " UTC";
}

std::string ReaderClock::away(base::Time time) const {
  const auto left = floor<seconds>(time) - floor<seconds>(now_);
  if (left == 0s) return "now";
  return left > 0s ? "in " + span(left) : span(-left) + " ago";
}

std::string ReaderClock::away(base::Date day) const {
  const auto left = base::days_between(day_of(now_), day);
  if (left == 0) return "today";
  if (left == -1) return "yesterday";
  if (left == 1) return "tomorrow";
  return left > 0 ? "in " + std::to_string(left) + " days" : std::to_string(-left) + " days ago";
}

base::Time ReaderClock::local(base::Time time) const { return look_.utc_offset ? time + look_.utc_offset(time) : time; }

base::Date ReaderClock::day_of(base::Time time) const { return base::Date(floor<days>(local(time))); }

}  // namespace vtmirror::report
