#include "cli/run.hpp"

#include <csignal>
#include <cstddef>
#include <exception>
#include <iostream>

int main(int argc, char** argv) {
  // A closed pipe must fail the write, not kill the program in the middle of a publication.
  std::signal(SIGPIPE, SIG_IGN);
  try {
    return vtmirror::cli::run({argv, static_cast<std::size_t>(argc)});
  } catch (const std::exception& exception) {
    std::cerr << "vtmirror: internal error, please report it: " << exception.what() << '\n';
    return 1;
  }
}
