// Bytes as text: hexadecimal digits, base64 (RFC 4648) and percent signs (RFC 3986).
// Promises texts of printable ASCII alone, whatever the bytes are. Knows nothing of what the bytes mean.
#pragma once

#include <string>
#include <string_view>

namespace vtmirror::base {

/// Two lower-case digits a byte.
std::string hex(std::string_view bytes);

/// With "=" at the end where the bytes are no multiple of three. Leaves no copy of the bytes or of the text behind.
std::string base64(std::string_view bytes);

/// Letters, digits and "-._~" as they are, every other byte as "%2F".
std::string percent_encoded(std::string_view bytes);

/// "%2F" becomes "/"; a percent sign without two hexadecimal digits behind it stays as it is, and so does "+".
std::string percent_decoded(std::string_view text);

}  // namespace vtmirror::base
