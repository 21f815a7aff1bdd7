#include "vtmirror/base/encoding.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace vtmirror::base;
using namespace std::string_view_literals;

namespace {

std::string encoded(char32_t value) {
  const auto tail = [value](int shift) { return static_cast<char>(0x80 | ((value >> shift) & 0x3F)); };
  if (value < 0x80) return {static_cast<char>(value)};
  if (value < 0x800) return {static_cast<char>(0xC0 | (value >> 6)), tail(0)};
  if (value < 0x10000) return {static_cast<char>(0xE0 | (value >> 12)), tail(6), tail(0)};
  return {static_cast<char>(0xF0 | (value >> 18)), tail(12), tail(6), tail(0)};
}

}  // namespace

TEST_CASE("every code point is read as it was written, and no surrogate is") {
  int wrong = 0;
  for (char32_t value = 0; value < 0x110000; ++value) {
    const std::string text = encoded(value);
    const bool surrogate = value >= 0xD800 && value <= 0xDFFF;
    const CodePoint point = first_code_point(text + "x");
    wrong += point.length != (surrogate ? 0 : text.size()) || (!surrogate && point.value != value);
  }
  CHECK(wrong == 0);
}

TEST_CASE("texts that are not UTF-8 are detected") {
  for (const auto text :
       {"\x80"sv, "\xc0\x80"sv, "\xc1\xbf"sv, "\xe0\x80\x80"sv, "\xf0\x80\x80\x80"sv, "\xf4\x90\x80\x80"sv,
        "\xf8\x88\x80\x80\x80"sv, "\xff"sv, "a\xc3"sv, "\xe2\x82"sv, "\xc3("sv}) {
    CHECK_FALSE(valid_utf8(text));
  }
  CHECK(valid_utf8(""));
  CHECK(valid_utf8("a\0b"sv));
  CHECK(valid_utf8("na\xc3\xafve \xf0\x9f\x9a\x97"));
}

TEST_CASE("characters that move the cursor or change the writing direction count as control characters") {
  for (const char32_t value : {U'\0', U'\n', U'\x1b', U'\x7f', U'\u0085', U'\u2028', U'\u202e', U'\u2066'}) {
    CHECK(is_control(value));
  }
  for (const char32_t value : {U' ', U'a', U'\u00a0', U'\u00e4', U'\u20ac', U'\U0001f697'})
    CHECK_FALSE(is_control(value));
}
