// Removes signatures, credentials and tokens from a peer's text: queries, headers, JSON and XML.
// In doubt it hides too much; a value that is cut off counts as a value to its end.
#pragma once

#include <string>
#include <string_view>

namespace vtmirror::base {

std::string redacted(std::string_view text);

}  // namespace vtmirror::base
