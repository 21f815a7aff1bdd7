#include "vtmirror/terminal/screen.hpp"

#include "vtmirror/terminal/terminal.hpp"

#include <cstddef>

namespace vtmirror::terminal {
namespace {

constexpr const char* enter = "\x1b[?1049h\x1b[?25l";  // alternate screen, no cursor
constexpr const char* leave = "\x1b[?25h\x1b[?1049l";
constexpr const char* home = "\x1b[H";
constexpr const char* erase_line = "\x1b[K";
constexpr const char* erase_below = "\x1b[J";

}  // namespace

Screen::Screen(int descriptor) : descriptor_(descriptor) { open(); }

void Screen::open() {
  if (!open_) write_to_terminal(descriptor_, enter);
  open_ = true;
}

void Screen::close() {
  if (open_) write_to_terminal(descriptor_, leave);
  open_ = false;
}

void Screen::draw(const std::string& text) {
  const auto rows = terminal_size(descriptor_).rows;
  std::string drawn = home;
  std::size_t begin = 0;
  // A newline after the last row would scroll.
  for (std::size_t row = 1; row < rows && begin < text.size(); ++row) {
    const auto end = text.find('\n', begin);
    drawn += text.substr(begin, end - begin) + erase_line + '\n';
    begin = end == std::string::npos ? text.size() : end + 1;
  }
  write_to_terminal(descriptor_, drawn + erase_below);
}

}  // namespace vtmirror::terminal
