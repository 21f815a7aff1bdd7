// Bytes as strings: hexadecimal digits, base64 (RFC 4648) and percent-encoding (RFC 3986). Also UTF-8: what is valid,
// and what of it a terminal can show.
// Pure. Promises that an encoded string is printable ASCII, whatever the bytes are.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace vtmirror::base {

/// Two lower-case digits per byte.
std::string hex(std::string_view bytes);

/// Padded with "=" if needed. Leaves no copy of the bytes or of the string behind.
std::string base64(std::string_view bytes);

/// Keeps letters, digits and "-._~"; every other byte is encoded as in "%2F".
std::string percent_encoded(std::string_view bytes);

/// "%2F" becomes "/". A percent sign that is not followed by two hexadecimal digits stays as it is, and so does "+".
std::string percent_decoded(std::string_view text);

/// The value of a hexadecimal digit in either case; -1 for another character.
int hex_digit(char c) noexcept;

/// The named entities of XML. "&amp;" is last: replaced in this order, "&amp;lt;" becomes "&lt;".
inline constexpr std::array<std::pair<std::string_view, char>, 5> xml_entities{
    {{"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&apos;", '\''}, {"&amp;", '&'}}};

/// UTF-8 read one code point at a time, and which code points may not reach a log line or a file name.
/// Refuses overlong forms, surrogates and truncated sequences. Never allocates.
struct CodePoint {
  char32_t value = 0;
  std::size_t length = 0;  ///< bytes; 0 if the text does not begin with valid UTF-8
};

CodePoint first_code_point(std::string_view text) noexcept;

/// Whether a character begins with this byte of valid UTF-8.
constexpr bool begins_character(char byte) noexcept { return (static_cast<unsigned char>(byte) & 0xC0u) != 0x80; }

bool valid_utf8(std::string_view text) noexcept;
/// The text itself if it is UTF-8. Otherwise each byte beyond ASCII is a question mark, for JSON must be UTF-8.
std::string as_utf8(std::string_view text);

/// Control characters (C0, C1, DEL), line and paragraph separators, and characters that change the writing direction.
bool is_control(char32_t value) noexcept;

}  // namespace vtmirror::base
