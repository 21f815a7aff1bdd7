#include "cli/stderr_journal.hpp"

#include "cli/terminal.hpp"
#include "vtmirror/host/host.hpp"

#include <unistd.h>

namespace vtmirror::cli {

std::unique_ptr<ports::Journal> stderr_journal(ports::Level least, const Arguments& arguments,
                                               const Environment& environment) {
  const bool colour = use_colour(arguments.colour, STDERR_FILENO, environment);
  return host::make_terminal_journal(least, colour ? host::Colour::always : host::Colour::never);
}

}  // namespace vtmirror::cli
