#include "cli/run.hpp"

#include <doctest/doctest.h>

#include <csignal>

namespace vtmirror::cli {
namespace {

TEST_CASE("the exit status distinguishes wrong settings and a held mirror from other failures") {
  CHECK(exit_status(base::Errc::config) == 2);
  CHECK(exit_status(base::Errc::locked) == 4);
  CHECK(exit_status(base::Errc::forbidden) == 1);
  CHECK(exit_status(base::Errc::cancelled) == 1);
}

TEST_CASE("work that Ctrl-C stopped is 130, and work that was done before it is done") {
  CHECK(status_after(SIGINT, failed) == 130);
  CHECK(status_after(SIGINT, done) == 0);
  CHECK(status_after(SIGTERM, failed) == 1);
  CHECK(status_after(0, held) == 4);
}

}  // namespace
}  // namespace vtmirror::cli
