// What stdout and stderr are connected to: a terminal, its size, colour.
#pragma once

#include "vtmirror/settings/environment.hpp"

#include <cstddef>
#include <string_view>

namespace vtmirror::terminal {

enum class ColourChoice { automatic, always, never };

struct TerminalSize {
  std::size_t columns = 80;
  std::size_t rows = 24;
};

bool is_terminal(int descriptor);
/// The current size; it is not cached, because windows are resized.
TerminalSize terminal_size(int descriptor);

/// The width for a table: the terminal's columns, or 0 (unlimited) if it is not a terminal.
std::size_t table_width(int descriptor);

/// With `automatic`, a non-empty NO_COLOR or TERM=dumb turns colours off.
bool use_colour(ColourChoice choice, int descriptor, const settings::Environment& environment);

/// Writes as much as possible. Errors are ignored, because losing the terminal must not end the work.
void write_to_terminal(int descriptor, std::string_view text);

/// Whether it is a terminal on which lines can be redrawn in place.
bool can_redraw(int descriptor, const settings::Environment& environment);

}  // namespace vtmirror::terminal
