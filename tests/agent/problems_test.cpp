#include "agent/problems.hpp"

#include <doctest/doctest.h>

using namespace vtmirror;

namespace {

std::string code_after(const std::string& error) {
  const core::LastCycle cut{.complete = false};
  const auto problems = agent::problems_now(cut, error, {}, {}, base::Time{});
  return problems.size() == 1 ? problems[0].code : "";
}

}  // namespace

TEST_CASE("a full disk is a problem of its own, met before the download or in its middle") {
  CHECK(code_after("no_space: v1/a.zip does not fit") == "low_space");
  CHECK(code_after("v1/a.zip: no_space: writing failed") == "low_space");
  CHECK(code_after("v1/a.zip: timed_out: no byte came") == "cycle_failed");
}
