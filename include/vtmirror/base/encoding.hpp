// Bytes as strings: hexadecimal digits, base64 (RFC 4648) and percent-encoding (RFC 3986).
// The encoded string is printable ASCII, whatever the bytes are.
#pragma once

#include <string>
#include <string_view>

namespace vtmirror::base {

/// Two lower-case digits per byte.
std::string hex(std::string_view bytes);

/// Padded with "=" where needed. Leaves no copy of the bytes or of the string behind.
std::string base64(std::string_view bytes);

/// Keeps letters, digits and "-._~"; every other byte is encoded as in "%2F".
std::string percent_encoded(std::string_view bytes);

/// "%2F" becomes "/". A percent sign that is not followed by two hexadecimal digits stays as it is, and so does "+".
std::string percent_decoded(std::string_view text);

}  // namespace vtmirror::base
