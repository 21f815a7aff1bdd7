#include "settings/spell.hpp"

#include <array>
#include <cstdio>
#include <string_view>
#include <utility>

namespace vtmirror::settings {
namespace {

/// The number in the largest unit that divides it, so that it reads back unchanged.
template <std::size_t N>
std::string in_units(std::int64_t number, const std::array<std::pair<std::int64_t, std::string_view>, N>& units) {
  for (const auto& [size, unit] : units) {
    if (number != 0 && number % size == 0) return std::to_string(number / size) + std::string(unit);
  }
  return std::to_string(number);
}

constexpr std::array<std::pair<std::int64_t, std::string_view>, 8> size_units{{
    {std::int64_t{1} << 40, "TiB"},
    {std::int64_t{1} << 30, "GiB"},
    {std::int64_t{1} << 20, "MiB"},
    {1'000'000'000'000, "TB"},
    {1'000'000'000, "GB"},
    {1'000'000, "MB"},
    {1024, "KiB"},
    {1000, "KB"},
}};
constexpr std::array<std::pair<std::int64_t, std::string_view>, 4> duration_units{
    {{86'400, "d"}, {3'600, "h"}, {60, "m"}, {1, "s"}}};

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      char escape[8];
      std::snprintf(escape, sizeof escape, "\\u%04X", static_cast<unsigned>(static_cast<unsigned char>(c)));
      out += escape;
    } else {
      out += c;
    }
  }
  return out + '"';
}

template <class List>
std::string list(const List& items) {
  std::string out = "[";
  for (const auto& item : items) {
    if (out.size() > 1) out += ", ";
    out += spell(item);
  }
  return out + ']';
}

}  // namespace

std::string spell(const std::string& text) { return quoted(text); }
std::string spell(bool flag) { return flag ? "true" : "false"; }
std::string spell(int number) { return std::to_string(number); }
std::string spell(Size size) { return quoted(in_units(size.bytes, size_units)); }

std::string spell(Rate rate) {
  const auto bytes = in_units(rate.bytes_a_second, size_units);
  return quoted(rate.bytes_a_second == 0 ? bytes : bytes + "/s");
}

std::string spell(std::chrono::seconds duration) {
  return quoted(duration.count() == 0 ? "0s" : in_units(duration.count(), duration_units));
}

std::string spell(TimeOfDay time) {
  char text[16];
  std::snprintf(text, sizeof text, "\"%02d:%02d\"", time.hour, time.minute);
  return text;
}

std::string spell(const std::optional<base::Date>& date) { return quoted(date ? base::iso8601(*date) : ""); }
std::string spell(const Texts& texts) { return list(texts); }
std::string spell(const Numbers& numbers) { return list(numbers); }

}  // namespace vtmirror::settings
