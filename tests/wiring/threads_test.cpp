#include "wiring/threads.hpp"

#include "support/sanitizer.hpp"
#include "support/skip.hpp"

#include <doctest/doctest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/asio/post.hpp>

#include <atomic>
#include <latch>
#include <system_error>

using namespace vtmirror;

TEST_CASE("each thread runs what comes first, and then all work that the pool was given, until its end is waited for") {
  std::atomic<int> first = 0;
  std::atomic<int> done = 0;
  {
    wiring::Threads threads(3, [&first] { ++first; });
    // Three at once, or none would end.
    std::latch all(3);
    for (int n = 0; n < 3; ++n)
      boost::asio::post(threads.pool(), [&] {
        all.arrive_and_wait();
        ++done;
      });
    threads.join();
    CHECK(first == 3);
    CHECK(done == 3);
  }
  CHECK(done == 3);
}

TEST_CASE("a pool for which the system allows only some of the threads is refused, and does not hang") {
  if (test::sanitized) return test::skip("a sanitizer reserves more memory than this case allows the process");
  const auto child = ::fork();
  if (child == 0) {
    ::alarm(20);
    // A few stacks of eight megabytes fit, and not sixty-four.
    const rlimit little{std::size_t{256} << 20U, std::size_t{256} << 20U};
    const rlimit stack{std::size_t{8} << 20U, std::size_t{8} << 20U};
    if (::setrlimit(RLIMIT_STACK, &stack) != 0 || ::setrlimit(RLIMIT_AS, &little) != 0) ::_exit(2);
    try {
      const wiring::Threads threads(64);
    } catch (const std::system_error&) {
      ::_exit(0);
    } catch (...) {
      ::_exit(3);
    }
    ::_exit(1);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 2) return test::skip("the limits of this process cannot be set");
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
}
