#include "vtmirror/wiring/stderr_journal.hpp"

#include "vtmirror/host/host.hpp"
#include "vtmirror/terminal/terminal.hpp"

#include <unistd.h>

namespace vtmirror::wiring {

std::unique_ptr<ports::Journal> stderr_journal(ports::Level least, terminal::ColourChoice choice,
                                               const settings::Environment& environment) {
  const bool colour = terminal::use_colour(choice, STDERR_FILENO, environment);
  return host::make_terminal_journal(least, colour ? host::Colour::always : host::Colour::never);
}

}  // namespace vtmirror::wiring
