#include "vtmirror/base/encoding.hpp"

namespace vtmirror::base {
namespace {

constexpr std::string_view lower_digits = "0123456789abcdef";
constexpr std::string_view upper_digits = "0123456789ABCDEF";
constexpr std::string_view base64_letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

unsigned byte_of(char c) noexcept { return static_cast<unsigned char>(c); }

/// The characters that RFC 3986 leaves unencoded.
bool is_unreserved(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '.' ||
         c == '_' || c == '~';
}

int digit_value(char c) noexcept {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

}  // namespace

// The strings below may hold secrets, so their capacity is reserved at once: a growing string would leave copies
// behind.

std::string hex(std::string_view bytes) {
  std::string text;
  text.reserve(2 * bytes.size());
  for (const char c : bytes) {
    text += lower_digits[byte_of(c) >> 4U];
    text += lower_digits[byte_of(c) & 15U];
  }
  return text;
}

std::string base64(std::string_view bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    unsigned group = 0;
    for (std::size_t i = at; i < at + 3; ++i) group = group << 8U | (i < bytes.size() ? byte_of(bytes[i]) : 0U);
    for (unsigned i = 0; i < 4; ++i)
      text += at + i > bytes.size() ? '=' : base64_letters[group >> (18U - 6U * i) & 63U];
  }
  return text;
}

std::string percent_encoded(std::string_view bytes) {
  std::string text;
  text.reserve(3 * bytes.size());
  for (const char c : bytes) {
    if (is_unreserved(c)) {
      text += c;
      continue;
    }
    text += '%';
    text += upper_digits[byte_of(c) >> 4U];
    text += upper_digits[byte_of(c) & 15U];
  }
  return text;
}

std::string percent_decoded(std::string_view text) {
  std::string decoded;
  decoded.reserve(text.size());
  for (std::size_t at = 0; at < text.size(); ++at) {
    const bool escape = text[at] == '%' && at + 2 < text.size();
    const int high = escape ? digit_value(text[at + 1]) : -1;
    const int low = escape ? digit_value(text[at + 2]) : -1;
    const bool good = high >= 0 && low >= 0;
    decoded += good ? static_cast<char>(high * 16 + low) : text[at];
    if (good) at += 2;
  }
  return decoded;
}

}  // namespace vtmirror::base
