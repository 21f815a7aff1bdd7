#include "cli/say.hpp"

#include "vtmirror/report/table.hpp"
#include "vtmirror/terminal/terminal.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <iostream>

namespace vtmirror::cli {

void say(std::string_view text) { std::cerr << report::wrapped(text, terminal::table_width(STDERR_FILENO)); }

void say_lines(std::string_view text) {
  for (std::size_t begin = 0; begin <= text.size();) {
    const auto end = std::min(text.find('\n', begin), text.size());
    say("vtmirror: ", text.substr(begin, end - begin), '\n');
    begin = end + 1;
  }
}

void say_result(std::string_view text) {
  std::cout << report::wrapped(text, terminal::table_width(STDOUT_FILENO)) << std::flush;
}

}  // namespace vtmirror::cli
