#include "vtmirror/base/text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

namespace vtmirror::base {
namespace {

struct Unit {
  std::string_view name;
  std::int64_t bytes;
};

constexpr std::array units{
    Unit{"", 1},
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
  return Error{Errc::config, "\"" + printable(text, 60) + "\" is not a size; write it like 512, 20MB or 2GiB"};
}

std::string fixed(double value, int decimals) {
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed, decimals).ptr;
  return {text.data(), end};
}

/// Three figures, or "1000" where rounding yields a fourth.
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
  for (const Unit& unit : units) {
    if (!iequals(unit.name, suffix)) continue;
    if (*count > std::numeric_limits<std::int64_t>::max() / unit.bytes) return no_size(text);
    return *count * unit.bytes;
  }
  return no_size(text);
}

}  // namespace vtmirror::base
