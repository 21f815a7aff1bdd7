#include "web/markup.hpp"

#include "vtmirror/base/text.hpp"

#include <cctype>
#include <cstdio>

namespace vtmirror::web {
namespace {

constexpr std::size_t longest_text = 2'000;

std::string time_element(base::Time time, std::string_view form, const std::string& words) {
  return "<time datetime=\"" + base::iso8601(time) + "\" data-form=\"" + std::string(form) + "\">" + words + "</time>";
}

constexpr std::size_t date_length = std::string_view("2026-11-28").size();

/// Not where it is a part of a longer word, such as a file's name.
bool is_date_at(std::string_view text, std::size_t at) {
  const auto joins = [&text](std::size_t place) {
    const auto letter = static_cast<unsigned char>(text[place]);
    return std::isalnum(letter) != 0 || letter == '-' || letter == '_';
  };
  if (text.size() - at < date_length || text[at + 4] != '-') return false;
  if (at > 0 && joins(at - 1)) return false;
  if (at + date_length < text.size() && joins(at + date_length)) return false;
  return base::parse_date(text.substr(at, date_length)).has_value();
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string out;
  for (const char letter : base::printable(text, longest_text)) {
    switch (letter) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += letter;
    }
  }
  return out;
}

std::string element(std::string_view tag, std::string_view css_class, std::string_view text) {
  std::string out = "<" + std::string(tag);
  if (!css_class.empty()) out += " class=\"" + std::string(css_class) + '"';
  return out + '>' + escaped(text) + "</" + std::string(tag) + '>';
}

std::string with_code(std::string_view text) {
  std::string html;
  for (auto open = text.find('`'); open != std::string_view::npos; open = text.find('`')) {
    const auto close = text.find('`', open + 1);
    if (close == std::string_view::npos) break;
    const auto code = text.substr(open + 1, close - open - 1);
    html += prose(text.substr(0, open)) + (code.empty() ? "``" : element("code", "", code));
    text.remove_prefix(close + 1);
  }
  return html + prose(text);
}

std::string prose(std::string_view text) {
  const auto words = escaped(text);
  std::string html;
  for (std::size_t at = 0; at < words.size();) {
    const auto length = is_date_at(words, at) ? date_length : 1;
    const auto part = words.substr(at, length);
    html += length == 1 ? part : "<time>" + part + "</time>";
    at += length;
  }
  return html;
}

std::string date_html(base::Date date) { return element("time", "", base::iso8601(date)); }

std::string unreadable_html(const PageFacts& facts) {
  return element("p", "trouble", "The catalogue cannot be read: " + facts.unreadable);
}

std::string percent(double share) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f%%", share * 100);
  return text;
}

base::Date PageClock::day_of(base::Time time) const { return report::local_day(time, offset_); }

std::string PageClock::at(base::Time time) const { return time_element(time, "at", text(time)); }

std::string PageClock::text(base::Time time) const {
  const auto day = day_of(time);
  const auto days = base::days_between(today(), day);
  std::string words(report::near_day(day, today()));
  if (words.empty()) words = days < -300 || days > 300 ? base::iso8601(day) : report::weekday_words(day);
  return words + ' ' + report::minute_words(time, offset_);
}

std::string PageClock::in_full(base::Time time) const {
  const auto day = day_of(time);
  return report::weekday_words(day) + ' ' + std::to_string(static_cast<int>(day.year())) + ", " +
         report::minute_words(time, offset_);
}

std::string PageClock::away(base::Time time) const {
  return time_element(time, "away", report::away_words(time, now_));
}

}  // namespace vtmirror::web
