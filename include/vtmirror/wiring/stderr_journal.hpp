// A journal that prints events as lines on stderr, in colour if wanted.
#pragma once

#include "vtmirror/ports/journal.hpp"
#include "vtmirror/settings/environment.hpp"
#include "vtmirror/terminal/terminal.hpp"

#include <memory>

namespace vtmirror::wiring {

/// Events below `least` are dropped.
std::unique_ptr<ports::Journal> stderr_journal(ports::Level least, terminal::ColourChoice choice,
                                               const settings::Environment& environment);

}  // namespace vtmirror::wiring
