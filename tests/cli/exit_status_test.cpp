#include "cli/run.hpp"

#include <doctest/doctest.h>

namespace vtmirror::cli {
namespace {

TEST_CASE("the exit status distinguishes wrong settings and a held mirror from other failures") {
  CHECK(exit_status(base::Errc::config) == 2);
  CHECK(exit_status(base::Errc::locked) == 4);
  CHECK(exit_status(base::Errc::forbidden) == 1);
  CHECK(exit_status(base::Errc::cancelled) == 1);
}

}  // namespace
}  // namespace vtmirror::cli
