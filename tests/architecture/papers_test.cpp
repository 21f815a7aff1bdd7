#include "architecture/text_rules.hpp"

#include <doctest/doctest.h>

#include <regex>
#include <string>
#include <vector>

namespace vtmirror::architecture {
namespace {

TEST_CASE("the papers name verbs of ./dev and paths that are there") {
  const auto known = verbs(source("dev"));
  std::vector<Finding> found;
  for (const auto* paper :
       {"README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", ".ci/run", "packaging/dependencies"}) {
    add(found, check_paper(source(paper), known));
  }
  INFO(listed(found));
  CHECK(found.empty());
}

TEST_CASE("the README is for users first, and has the two commands for developers near its top") {
  const auto text = source("README.md").text;
  const auto first_steps = text.find("\n## Install and begin\n"), developers = text.find("\n## For developers\n"),
             rest = text.find("\n## What it does\n");
  REQUIRE(rest != std::string::npos);
  CHECK(first_steps < developers);
  CHECK(developers < rest);
  const auto section = text.substr(developers, rest - developers);
  CHECK(section.find("./dev demo") != std::string::npos);
  CHECK(section.find("./dev test") != std::string::npos);
}

TEST_CASE("the README begins with one sentence and a picture that is there") {
  static const std::regex opening(R"re(^# vtmirror\n\n([^.]+)\.\n\n!\[[^\]]+\]\(([^)]+)\)\n)re");
  const auto text = source("README.md").text;
  std::smatch found;
  REQUIRE(std::regex_search(text, found, opening));
  CHECK_MESSAGE(exists(found.str(2)), found.str(2));
}

/// The rows of ARCHITECTURE.md's table of what to open for a change.
std::vector<Finding> check_table(const Source& paper) {
  static const std::regex row(R"re(^\|.+\|.+\|[^|]*`tests/[^|]+\|$)re");
  std::vector<Finding> found;
  bool inside = false;
  each_line(paper, [&](const std::string& line, int number) {
    if (line.starts_with("## ")) inside = line == "## To change X, open Y";
    if (!inside || !line.starts_with("| ") || line.starts_with("| to change |")) return;
    if (!std::regex_match(line, row)) found.push_back({paper.path, number, "a row names its tests"});
  });
  return found;
}

TEST_CASE("every change that ARCHITECTURE.md has a file for has its tests beside it") {
  const auto found = check_table(source("ARCHITECTURE.md"));
  INFO(listed(found));
  CHECK(found.empty());
  const std::string heading = "## To change X, open Y\n| to change | open | and its tests |\n";
  CHECK(check_table({"x", heading + "| a | `src/a.cpp` | `tests/a_test.cpp` |\n"}).empty());
  CHECK(check_table({"x", heading + "| a | `src/a.cpp` |\n"}).size() == 1);
  CHECK(check_table({"x", heading + "| a | `tests/a.cpp` | none |\n"}).size() == 1);
}

TEST_CASE("a verb of ./dev is a function of the script") {
  CHECK(verbs({"dev", "dev_demo() {\n  dev_x\n}\nother() {\n"}) == std::set<std::string>{"demo"});
}

TEST_CASE("a paper that names a verb or a path that is not there is refused") {
  CHECK(check_paper({"README.md", "`./dev demo` and `src/core/`\n"}, {"demo"}).empty());
  CHECK(check_paper({"README.md", "`./dev fly`\n"}, {"demo"}).size() == 1);
  CHECK(check_paper({"README.md", "see `src/nowhere/x.cpp`\n"}, {"demo"}).size() == 1);
}

}  // namespace
}  // namespace vtmirror::architecture
