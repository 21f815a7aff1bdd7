#include "vtmirror/terminal/terminal.hpp"

#include "vtmirror/base/descriptor.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

namespace vtmirror::terminal {
namespace {

bool is_dumb(const settings::Environment& environment) {
  const auto terminal = environment("TERM").value_or("");
  return terminal.empty() || terminal == "dumb";
}

}  // namespace

bool is_terminal(int descriptor) { return ::isatty(descriptor) == 1; }

TerminalSize terminal_size(int descriptor) {
  winsize window{};
  TerminalSize size;
  if (::ioctl(descriptor, TIOCGWINSZ, &window) != 0) return size;
  if (window.ws_col > 0) size.columns = window.ws_col;
  if (window.ws_row > 0) size.rows = window.ws_row;
  return size;
}

void write_to_terminal(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const auto written = base::uninterrupted([&] { return ::write(descriptor, text.data(), text.size()); });
    if (written <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

std::size_t table_width(int descriptor) { return is_terminal(descriptor) ? terminal_size(descriptor).columns : 0; }

bool use_colour(ColourChoice choice, int descriptor, const settings::Environment& environment) {
  if (choice != ColourChoice::automatic) return choice == ColourChoice::always;
  const bool refused = !environment("NO_COLOR").value_or("").empty();
  return !refused && is_terminal(descriptor) && !is_dumb(environment);
}

bool can_redraw(int descriptor, const settings::Environment& environment) {
  return is_terminal(descriptor) && !is_dumb(environment);
}

}  // namespace vtmirror::terminal
