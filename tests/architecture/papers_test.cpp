#include "architecture/text_rules.hpp"

#include <doctest/doctest.h>

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

TEST_CASE("the README opens with the two commands") {
  const auto text = source("README.md").text;
  const auto demo = text.find("./dev demo");
  CHECK(demo < text.find("\n## "));
  CHECK(text.find("./dev test") < text.find("\n## "));
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
