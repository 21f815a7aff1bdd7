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

}  // namespace

int hex_digit(char c) noexcept {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

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
    const int high = escape ? hex_digit(text[at + 1]) : -1;
    const int low = escape ? hex_digit(text[at + 2]) : -1;
    const bool good = high >= 0 && low >= 0;
    decoded += good ? static_cast<char>(high * 16 + low) : text[at];
    if (good) at += 2;
  }
  return decoded;
}

namespace {

struct Lead {
  std::size_t length;
  unsigned char bits;  ///< of the first byte
  char32_t smallest;   ///< the form is overlong for smaller code points
};

Lead lead_of(unsigned char byte) noexcept {
  if (byte < 0x80) return {1, byte, 0};
  if ((byte & 0xE0u) == 0xC0) return {2, static_cast<unsigned char>(byte & 0x1Fu), 0x80};
  if ((byte & 0xF0u) == 0xE0) return {3, static_cast<unsigned char>(byte & 0x0Fu), 0x800};
  if ((byte & 0xF8u) == 0xF0) return {4, static_cast<unsigned char>(byte & 0x07u), 0x10000};
  return {0, 0, 0};
}

bool is_scalar(char32_t value) noexcept { return value <= 0x10FFFF && (value < 0xD800 || value > 0xDFFF); }

}  // namespace

CodePoint first_code_point(std::string_view text) noexcept {
  if (text.empty()) return {};
  const Lead lead = lead_of(static_cast<unsigned char>(text.front()));
  if (lead.length == 0 || text.size() < lead.length) return {};
  char32_t value = lead.bits;
  for (const char c : text.substr(1, lead.length - 1)) {
    const auto byte = static_cast<unsigned char>(c);
    if (begins_character(c)) return {};
    value = (value << 6) | (byte & 0x3Fu);
  }
  if (value < lead.smallest || !is_scalar(value)) return {};
  return {value, lead.length};
}

bool valid_utf8(std::string_view text) noexcept {
  while (!text.empty()) {
    const CodePoint first = first_code_point(text);
    if (first.length == 0) return false;
    text.remove_prefix(first.length);
  }
  return true;
}

std::string as_utf8(std::string_view text) {
  std::string valid(text);
  if (valid_utf8(text)) return valid;
  for (char& byte : valid)
    if (static_cast<unsigned char>(byte) >= 0x80) byte = '?';
  return valid;
}

bool is_control(char32_t value) noexcept {
  if (value < 0x20 || (value >= 0x7F && value <= 0x9F)) return true;
  if (value == 0x2028 || value == 0x2029) return true;
  return value == 0x200E || value == 0x200F || (value >= 0x202A && value <= 0x202E) ||
         (value >= 0x2066 && value <= 0x2069);
}

}  // namespace vtmirror::base
