#include "vtmirror/base/text.hpp"

#include <algorithm>
#include <charconv>

namespace vtmirror::base {
namespace {

// Not <cctype>: its answers depend on the locale.
char lower_letter(char c) noexcept { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

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

Result<std::int64_t> parse_int(std::string_view text) {
  const bool digits = !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
  std::int64_t value = 0;
  if (!digits || std::from_chars(text.data(), text.data() + text.size(), value).ec != std::errc{}) {
    return Error{Errc::protocol, "\"" + printable(text, 60) + "\" is not a number that fits"};
  }
  return value;
}

}  // namespace vtmirror::base
