#include "vtmirror/base/text.hpp"

#include <algorithm>
#include <charconv>

namespace vtmirror::base {
namespace {

// Not <cctype>: its answers depend on the locale.
char lower_letter(char c) noexcept { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

int hex_digit(char c) noexcept {
  if (c >= '0' && c <= '9') return c - '0';
  const char letter = lower_letter(c);
  return letter >= 'a' && letter <= 'f' ? letter - 'a' + 10 : -1;
}

constexpr std::string_view blanks = " \t\r\n\v\f";

}  // namespace

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

std::string percent_decoded(std::string_view text) {
  std::string decoded;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const bool escape = text[at] == '%' && at + 2 < text.size();
    const int high = escape ? hex_digit(text[at + 1]) : -1;
    const int low = escape ? hex_digit(text[at + 2]) : -1;
    const bool good = high >= 0 && low >= 0;
    decoded += good ? static_cast<char>(high * 16 + low) : text[at];
    if (good) at += 2;
  }
  return decoded;
}

Result<std::int64_t> parse_int(std::string_view text) {
  const bool digits = !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
  std::int64_t value = 0;
  if (!digits || std::from_chars(text.data(), text.data() + text.size(), value).ec != std::errc{}) {
    return Error{Errc::protocol, "\"" + printable(text, 60) + "\" is not a number that fits"};
  }
  return value;
}

}  // namespace vtmirror::base
