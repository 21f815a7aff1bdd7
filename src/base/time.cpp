#include "vtmirror/base/time.hpp"

#include "vtmirror/base/text.hpp"

#include <array>
#include <cstdio>
#include <optional>

namespace vtmirror::base {
namespace {

using std::chrono::sys_days;

/// Reads fixed-width fields from the left. After the first mismatch `ok()` stays false and every number is zero.
class Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) {}

  int digits(std::size_t count) {
    int value = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const char c = next();
      ok_ = ok_ && c >= '0' && c <= '9';
      value = ok_ ? value * 10 + (c - '0') : 0;
    }
    return value;
  }

  void literal(std::string_view expected) {
    ok_ = ok_ && rest_.starts_with(expected);
    if (ok_) rest_.remove_prefix(expected.size());
  }

  /// The index in `names` of the three letters at the front.
  unsigned one_of(std::string_view names) {
    const auto at = ok_ && rest_.size() >= 3 ? names.find(rest_.substr(0, 3)) : std::string_view::npos;
    ok_ = ok_ && at != std::string_view::npos && at % 3 == 0;
    if (!ok_) return 0;
    rest_.remove_prefix(3);
    return static_cast<unsigned>(at / 3);
  }

  /// ".123456", or nothing. Digits beyond milliseconds are cut.
  Milliseconds fraction() {
    if (!ok_ || !rest_.starts_with('.')) return {};
    rest_.remove_prefix(1);
    int value = digits(1);
    int scale = 100;
    int milliseconds = value * scale;
    while (ok_ && !rest_.empty() && rest_.front() >= '0' && rest_.front() <= '9') {
      value = digits(1);
      scale /= 10;
      milliseconds += value * scale;
    }
    return Milliseconds{milliseconds};
  }

  bool ok() const { return ok_; }
  bool at_end() const { return ok_ && rest_.empty(); }

 private:
  char next() {
    if (rest_.empty()) return '\0';
    const char c = rest_.front();
    rest_.remove_prefix(1);
    return c;
  }

  std::string_view rest_;
  bool ok_ = true;
};

constexpr std::string_view months = "JanFebMarAprMayJunJulAugSepOctNovDec";

Date date_of(int year, unsigned month, int day) {
  return Date{std::chrono::year{year}, std::chrono::month{month}, std::chrono::day{static_cast<unsigned>(day)}};
}

Date read_date(Reader& reader) {
  const int year = reader.digits(4);
  reader.literal("-");
  const int month = reader.digits(2);
  reader.literal("-");
  return date_of(year, static_cast<unsigned>(month), reader.digits(2));
}

/// "08:07:12"; a leap second is the first second of the next day. Empty for an invalid time of day.
std::optional<std::chrono::seconds> read_clock(Reader& reader) {
  const int hour = reader.digits(2);
  reader.literal(":");
  const int minute = reader.digits(2);
  reader.literal(":");
  const int second = reader.digits(2);
  const int last_second = hour == 23 && minute == 59 ? 60 : 59;
  if (!reader.ok() || hour > 23 || minute > 59 || second > last_second) return std::nullopt;
  return std::chrono::seconds{hour * 3600 + minute * 60 + second};
}

Error unreadable(std::string_view what, std::string_view text) {
  return Error{Errc::protocol, "\"" + printable(text, 60) + "\" is not " + std::string{what}};
}

}  // namespace

std::string iso8601(Date date) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%04d-%02u-%02u", static_cast<int>(date.year()),
                static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()));
  return text.data();
}

std::string day_and_month(Date date) {
  const std::size_t month = static_cast<unsigned>(date.month());
  return std::to_string(static_cast<unsigned>(date.day())) + ' ' + std::string{months.substr((month - 1) * 3, 3)};
}

std::string iso8601(Time time) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(time);
  const auto day = std::chrono::floor<std::chrono::days>(seconds);
  const auto clock = (seconds - day).count();
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "T%02d:%02d:%02dZ", static_cast<int>(clock / 3600),
                static_cast<int>(clock / 60 % 60), static_cast<int>(clock % 60));
  return iso8601(Date{day}) + text.data();
}

Result<Time> parse_time(std::string_view text) {
  Reader reader{text};
  const Date date = read_date(reader);
  reader.literal("T");
  const auto clock = read_clock(reader);
  const Milliseconds fraction = reader.fraction();
  reader.literal("Z");
  if (!reader.at_end() || !date.ok() || !clock) return unreadable("a time like 2026-11-18T08:07:12Z", text);
  return Time{sys_days{date}} + *clock + fraction;
}

Result<Date> parse_date(std::string_view text) {
  Reader reader{text};
  const Date date = read_date(reader);
  if (!reader.at_end() || !date.ok()) return unreadable("a day like 2026-11-18", text);
  return date;
}

Result<Time> parse_http_date(std::string_view text) {
  Reader reader{text};
  reader.one_of("MonTueWedThuFriSatSun");  // a weekday that contradicts the date is ignored
  reader.literal(", ");
  const int day = reader.digits(2);
  reader.literal(" ");
  const unsigned month = reader.one_of(months) + 1;
  reader.literal(" ");
  const int year = reader.digits(4);
  reader.literal(" ");
  const auto clock = read_clock(reader);
  reader.literal(" GMT");
  const Date date = date_of(year, month, day);
  if (!reader.at_end() || !date.ok() || !clock) return unreadable("an HTTP date", text);
  return Time{sys_days{date}} + *clock;
}

Date next_day(Date date) { return Date{sys_days{date} + std::chrono::days{1}}; }

Date previous_day(Date date) { return Date{sys_days{date} - std::chrono::days{1}}; }

std::int64_t days_between(Date from, Date to) { return (sys_days{to} - sys_days{from}).count(); }

}  // namespace vtmirror::base
