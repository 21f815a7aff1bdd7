#include "architecture/tool.hpp"
#include "support/skip.hpp"

#include <doctest/doctest.h>

#include <string>

namespace vtmirror::architecture {
namespace {

std::string findings(const std::string& what) {
  const auto ran = run(quoted_path("dev") + " check " + what);
  return ran.status == 0 ? "" : ran.output;
}

TEST_CASE("every source file is formatted as .clang-format says") {
  if (const auto why = test::absent("clang-format", "clang-format")) return test::skip(*why);
  CHECK(findings("format") == "");
}

TEST_CASE("shellcheck finds nothing in any script") {
  if (const auto why = test::absent("shellcheck", "shellcheck")) return test::skip(*why);
  CHECK(findings("scripts") == "");
}

TEST_CASE("every script for bash ends at the first command that fails, in a pipe too") {
  for (const std::string path : {"dev", ".ci/run", "packaging", "debian/tests", "tests/bench", "tests/package"}) {
    const auto lacking =
        run("grep -rlx '#!/usr/bin/env bash' " + quoted_path(path) + " | xargs grep -LF 'set -euo pipefail'");
    CHECK(lacking.output == "");
  }
}

}  // namespace
}  // namespace vtmirror::architecture
