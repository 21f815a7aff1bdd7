#include "architecture/source_tree.hpp"

#include <doctest/doctest.h>

#include <regex>
#include <sstream>

namespace vtmirror::architecture {
namespace {

/// Rooms in which no error's words decide anything; what decides is its code. It ends with all of them.
const std::vector<std::string> rooms{"src/base", "src/core", "src/catalogue", "src/agent", "src/mirror", "src/net"};

std::vector<Finding> check_errors(const Source& file) {
  static const std::regex searched(
      R"((\.|->)(detail|message\(\))\s*\.\s*(find|rfind|starts_with|ends_with|contains|compare|substr)\()");
  static const std::regex compared(
      R"((\.|->)(detail|message\(\))\s*[=!]=|[=!]=\s*[\w.>()*-]*(\.|->)(detail|message\(\)))");
  std::vector<Finding> found;
  std::istringstream lines(file.text);
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    if (std::regex_search(line, searched) || std::regex_search(line, compared))
      found.push_back({file.path, number, "what decides is an error's code, never its words"});
  }
  return found;
}

TEST_CASE("no error's words decide what follows") {
  std::vector<Finding> found;
  for (const auto& file : sources(rooms, {".cpp", ".hpp"})) add(found, check_errors(file));
  INFO(listed(found));
  CHECK(found.empty());
}

TEST_CASE("a look at an error's words is found, and their use in a sentence is not") {
  const auto findings = [](const std::string& line) { return check_errors({"x.cpp", line}).size(); };
  CHECK(findings("if (error.detail.starts_with(\"no_space\")) return;") == 1);
  CHECK(findings("const auto at = answer.error().message().find(\": \");") == 1);
  CHECK(findings("const bool known = delivery.error == error.message();") == 1);
  CHECK(findings("if (error.detail != before) return;") == 1);
  CHECK(findings("text += \": \" + error.detail;") == 0);
  CHECK(findings("if (error.code == base::Errc::no_space) return;") == 0);
}

}  // namespace
}  // namespace vtmirror::architecture
