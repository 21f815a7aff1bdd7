#include "vtmirror/base/utf8.hpp"

namespace vtmirror::base {
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

bool is_control(char32_t value) noexcept {
  if (value < 0x20 || (value >= 0x7F && value <= 0x9F)) return true;
  if (value == 0x2028 || value == 0x2029) return true;
  return value == 0x200E || value == 0x200F || (value >= 0x202A && value <= 0x202E) ||
         (value >= 0x2066 && value <= 0x2069);
}

}  // namespace vtmirror::base
