#include "cli/say.hpp"

#include "vtmirror/report/wrap.hpp"
#include "vtmirror/terminal/terminal.hpp"

#include <unistd.h>

#include <iostream>

namespace vtmirror::cli {

void say(std::string_view text) { std::cerr << report::wrapped(text, terminal::table_width(STDERR_FILENO)); }

void say_result(std::string_view text) {
  std::cout << report::wrapped(text, terminal::table_width(STDOUT_FILENO)) << std::flush;
}

}  // namespace vtmirror::cli
