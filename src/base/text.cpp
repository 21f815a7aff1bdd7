#include "vtmirror/base/text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

namespace vtmirror::base {
namespace {

// Not <cctype>: its answers depend on the locale.
char lower_letter(char c) noexcept { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

constexpr std::string_view blanks = " \t\r\n\v\f";

}  // namespace

std::string counted(std::int64_t count, std::string_view noun) {
  return std::to_string(count).append(" ").append(noun).append(count == 1 ? "" : "s");
}

std::string_view leaf_of(std::string_view path) noexcept { return path.substr(path.rfind('/') + 1); }

bool iequals(std::string_view a, std::string_view b) noexcept {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return lower_letter(x) == lower_letter(y); });
}

std::string lower(std::string_view text) {
  std::string result{text};
  std::transform(result.begin(), result.end(), result.begin(), lower_letter);
  return result;
}

std::string_view trim(std::string_view text) noexcept {
  const auto first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

Result<std::int64_t> parse_int(std::string_view text) {
  const bool digits = !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
  std::int64_t value = 0;
  if (!digits || std::from_chars(text.data(), text.data() + text.size(), value).ec != std::errc{}) {
    return Error{Errc::protocol, "\"" + printable(text, 60) + "\" is not a number that fits"};
  }
  return value;
}

namespace {

struct Unit {
  std::string_view name;
  std::int64_t bytes;
};

constexpr std::array units{
    Unit{"B", 1},
    Unit{"KB", 1'000},
    Unit{"MB", 1'000'000},
    Unit{"GB", 1'000'000'000},
    Unit{"TB", 1'000'000'000'000},
    Unit{"KiB", std::int64_t{1} << 10},
    Unit{"MiB", std::int64_t{1} << 20},
    Unit{"GiB", std::int64_t{1} << 30},
    Unit{"TiB", std::int64_t{1} << 40},
};

Error no_size(std::string_view text) {
  return Error{Errc::config, "\"" + printable(text, 60) + "\" is not a size; write it like 512B, 20MB or 2GiB"};
}

std::string fixed(double value, int decimals) {
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed, decimals).ptr;
  return {text.data(), end};
}

/// Three figures, or "1000" if rounding yields a fourth.
std::string three_figures(double value) {
  if (value < 9.995) return fixed(value, 2);
  if (value < 99.95) return fixed(value, 1);
  return fixed(value, 0);
}

}  // namespace

std::string human_size(std::int64_t bytes) {
  static constexpr std::array<std::string_view, 7> names{"B", "KB", "MB", "GB", "TB", "PB", "EB"};
  const std::string sign = bytes < 0 ? "-" : "";
  double value = bytes < 0 ? -static_cast<double>(bytes) : static_cast<double>(bytes);
  if (value < 1000) return sign + fixed(value, 0) + " B";
  std::size_t unit = 0;
  while (value >= 999.5 && unit + 1 < names.size()) {
    value /= 1000;
    ++unit;
  }
  return sign + three_figures(value) + " " + std::string{names.at(unit)};
}

Result<std::int64_t> parse_size(std::string_view text) {
  const std::string_view whole = trim(text);
  const auto digits = std::min(whole.find_first_not_of("0123456789"), whole.size());
  const auto count = parse_int(whole.substr(0, digits));
  const std::string_view suffix = trim(whole.substr(digits));
  if (!count) return no_size(text);
  if (*count == 0 && suffix.empty()) return std::int64_t{0};
  for (const Unit& unit : units) {
    if (!iequals(unit.name, suffix)) continue;
    if (*count > std::numeric_limits<std::int64_t>::max() / unit.bytes) return no_size(text);
    return *count * unit.bytes;
  }
  return no_size(text);
}

Result<std::int64_t> parse_rate(std::string_view text) {
  if (text.ends_with("/s")) text.remove_suffix(2);
  auto bytes = parse_size(text);
  if (bytes) return bytes;
  const auto digits = std::min(text.find_first_not_of("0123456789"), text.size());
  const bool is_large = digits > 0 && parse_size("1" + std::string(text.substr(digits))).has_value();
  if (is_large) return std::numeric_limits<std::int64_t>::max();
  return bytes;
}

namespace {

/// A hundred years: longer than any setting needs, and it fits in nanoseconds.
constexpr std::int64_t longest_seconds = std::int64_t{36'500} * 86'400;

std::string two_digits(std::uint64_t value) { return (value < 10 ? "0" : "") + std::to_string(value); }

std::int64_t seconds_in(std::string_view unit) {
  if (unit == "s") return 1;
  if (unit == "m") return 60;
  if (unit == "h") return 3'600;
  if (unit == "d") return 86'400;
  return 0;
}

Error no_duration(std::string_view text) {
  return Error{Errc::config, "\"" + printable(text, 60) + "\" is not a time span; write it like 30s, 10m, 6h or 2d"};
}

}  // namespace

std::string human_duration(std::chrono::seconds duration) {
  const bool negative = duration.count() < 0;
  const auto count = static_cast<std::uint64_t>(duration.count());
  const std::uint64_t seconds = negative ? 0 - count : count;
  const std::string sign = negative ? "-" : "";
  if (seconds < 60) return sign + std::to_string(seconds) + "s";
  if (seconds < 3'600) return sign + std::to_string(seconds / 60) + "m " + two_digits(seconds % 60) + "s";
  if (seconds < 86'400) return sign + std::to_string(seconds / 3'600) + "h " + two_digits(seconds / 60 % 60) + "m";
  return sign + std::to_string(seconds / 86'400) + "d " + two_digits(seconds / 3'600 % 24) + "h";
}

Result<std::chrono::seconds> parse_duration(std::string_view text) {
  const std::string_view whole = trim(text);
  const auto digits = std::min(whole.find_first_not_of("0123456789"), whole.size());
  const auto count = parse_int(whole.substr(0, digits));
  if (whole == "0") return std::chrono::seconds{0};
  const std::int64_t unit = seconds_in(trim(whole.substr(digits)));
  if (!count || unit == 0 || *count > longest_seconds / unit) return no_duration(text);
  return std::chrono::seconds{*count * unit};
}

namespace {

using Row = std::vector<std::size_t>;

/// The number of letters to insert, delete, change or swap with their neighbour to turn `a` into `b`.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  Row before_last(b.size() + 1);
  Row last(b.size() + 1);
  Row row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before_last.swap(last);
    last.swap(row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, change});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
  }
  return row[b.size()];
}

/// Longer words are not typing errors. The limit also bounds the work that a string from a peer can cause.
constexpr std::size_t longest_word = 100;

}  // namespace

std::string_view nearest(std::string_view word, std::span<const std::string_view> candidates) {
  std::string_view best;
  std::size_t best_distance = longest_word;
  if (word.empty() || word.size() > longest_word) return best;
  for (const std::string_view candidate : candidates) {
    if (candidate.empty() || candidate.size() > longest_word) continue;
    const std::size_t distance = edit_distance(lower(word), lower(candidate));
    const auto longest = std::max(word.size(), candidate.size());
    // Two letters of a word of five, if it begins like the candidate: "scoop" for "scope".
    const bool alike = longest == 5 && distance == 2 && lower(word.substr(0, 2)) == lower(candidate.substr(0, 2));
    const bool near = distance * 3 <= longest || alike;
    if (near && distance < best_distance) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

}  // namespace vtmirror::base
