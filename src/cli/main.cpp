#include "cli/run.hpp"

#include <malloc.h>
#include <boost/system/system_error.hpp>

#include <csignal>
#include <cstddef>
#include <exception>
#include <iostream>
#include <new>
#include <string>
#include <system_error>

namespace {

/// A thread, a timer or a socket that the system's limits do not allow.
int refused_by_the_system(const std::string& why) {
  std::cerr << "vtmirror: the system refused what the program needs to run: " << why
            << "\nvtmirror: check the limits of this process (open files, threads, memory)\n";
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  // Two heaps for all threads: each thread's own would keep megabytes of what only passed through it. If the setting
  // is refused, the program only needs more memory.
  static_cast<void>(mallopt(M_ARENA_MAX, 2));
  // A closed pipe must fail the write, not kill the program in the middle of a publication.
  std::signal(SIGPIPE, SIG_IGN);
  // Nor must a file that the limit of this process (`ulimit -f`) does not allow.
  std::signal(SIGXFSZ, SIG_IGN);
  try {
    return vtmirror::cli::run({argv, static_cast<std::size_t>(argc)});
  } catch (const std::bad_alloc&) {
    std::cerr << "vtmirror: out of memory\n";
    return 1;
  } catch (const std::system_error& refused) {
    return refused_by_the_system(refused.code().message());
  } catch (const boost::system::system_error& refused) {
    return refused_by_the_system(refused.code().message());
  } catch (const std::exception& exception) {
    std::cerr << "vtmirror: internal error, please report it: " << exception.what() << '\n';
    return 1;
  }
}
