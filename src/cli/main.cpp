#include "cli/run.hpp"

#include <csignal>
#include <cstddef>
#include <exception>
#include <iostream>
#include <new>
#include <system_error>

int main(int argc, char** argv) {
  // A closed pipe must fail the write, not kill the program in the middle of a publication.
  std::signal(SIGPIPE, SIG_IGN);
  try {
    return vtmirror::cli::run({argv, static_cast<std::size_t>(argc)});
  } catch (const std::bad_alloc&) {
    std::cerr << "vtmirror: out of memory\n";
    return 1;
  } catch (const std::system_error& refused) {
    // A thread, a timer or a socket that the system's limits do not allow.
    std::cerr << "vtmirror: the system refused what the program needs to run: " << refused.code().message()
              << "\nvtmirror: check the limits of this process (open files, threads, memory)\n";
    return 1;
  } catch (const std::exception& exception) {
    std::cerr << "vtmirror: internal error, please report it: " << exception.what() << '\n';
    return 1;
  }
}
