// Lines for people on stderr and stdout. On a terminal they are broken between words; elsewhere they stay as they are.
#pragma once

#include <string>
#include <string_view>

namespace vtmirror::cli {

/// On stderr. `text` ends with its last line's end.
void say(std::string_view text);

/// The same of a text in parts.
template <class First, class Second, class... More>
void say(const First& first, const Second& second, const More&... more) {
  std::string text;
  text += first;
  text += second;
  (..., (text += more));
  say(std::string_view(text));
}

/// On stderr, each line of `text` behind the program's name. The last one has no end.
void say_lines(std::string_view text);

/// On stdout, which it flushes.
void say_result(std::string_view text);

}  // namespace vtmirror::cli
