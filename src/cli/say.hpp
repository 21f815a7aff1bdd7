// Lines for people on stderr and stdout. On a terminal they are broken between words; elsewhere they stay as they are.
#pragma once

#include <string_view>

namespace vtmirror::cli {

/// On stderr. `text` ends with its last line's end.
void say(std::string_view text);

/// On stdout, which it flushes.
void say_result(std::string_view text);

}  // namespace vtmirror::cli
