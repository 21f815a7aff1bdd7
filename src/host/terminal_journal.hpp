// The terminal's journal on any stream, so that a test can read what it wrote.
#pragma once

#include "vtmirror/host/host.hpp"

#include <cstdio>
#include <memory>

namespace vtmirror::host {

/// `stream` is borrowed and outlives the journal. `Colour::automatic` colours when it is a terminal.
std::unique_ptr<ports::Journal> make_terminal_journal(ports::Level least, Colour colour, std::FILE* stream);

}  // namespace vtmirror::host
