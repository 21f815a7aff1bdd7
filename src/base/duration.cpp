#include "vtmirror/base/text.hpp"

#include <algorithm>

namespace vtmirror::base {
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
  const std::int64_t unit = seconds_in(trim(whole.substr(digits)));
  if (!count || unit == 0 || *count > longest_seconds / unit) return no_duration(text);
  return std::chrono::seconds{*count * unit};
}

}  // namespace vtmirror::base
