// Breaks the lines of a text for people between words, so that a terminal does not break them within one. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace vtmirror::report {

/// The text with every line at most `width` columns wide, unless a single word is longer; what follows a break is
/// indented by four columns more than the line. A command between backticks counts as one word where it fits a line. 0
/// is unlimited. The text begins behind `before` columns of its first line.
std::string wrapped(std::string_view text, std::size_t width, std::size_t before = 0);

}  // namespace vtmirror::report
