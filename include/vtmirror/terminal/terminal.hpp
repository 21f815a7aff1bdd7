// What stands at the other end of stdout and stderr.
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
/// Asked anew at each call: windows change.
TerminalSize terminal_size(int descriptor);

/// Columns to cut a table to: the terminal's, or 0 (no cut) where there is none.
std::size_t table_width(int descriptor);

/// NO_COLOR (with any text in it) and TERM=dumb turn colours off where nothing was chosen.
bool use_colour(ColourChoice choice, int descriptor, const settings::Environment& environment);

/// All of it, as far as it goes: a terminal that has gone away is no reason to end anything.
void write_to_terminal(int descriptor, std::string_view text);

/// A terminal on which lines can be drawn again in place.
bool can_redraw(int descriptor, const settings::Environment& environment);

}  // namespace vtmirror::terminal
