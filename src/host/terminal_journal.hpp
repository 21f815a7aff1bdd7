// The terminal's journal on any stream, so that a test can read its output.
#pragma once

#include "vtmirror/host/host.hpp"

#include <cstdio>
#include <memory>

namespace vtmirror::host {

/// `stream` is borrowed and must outlive the journal. `Colour::automatic` uses colours if it is a terminal.
std::unique_ptr<ports::Journal> make_terminal_journal(ports::Level least, Colour colour, std::FILE* stream,
                                                      LineBreaks breaks = {});

}  // namespace vtmirror::host
