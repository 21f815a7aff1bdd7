#include "architecture/source_tree.hpp"

#include <doctest/doctest.h>
#include <boost/json.hpp>

#include <regex>
#include <set>
#include <sstream>
#include <string>

namespace vtmirror::architecture {
namespace {

using Names = std::set<std::string>;

std::string first_match(const std::string& path, const std::string& pattern) {
  const auto text = source(path).text;
  std::smatch found;
  return std::regex_search(text, found, std::regex(pattern)) ? found.str(1) : "nothing in " + path;
}

/// The packages of packaging/dependencies that serve a purpose.
Names needed_for(const std::string& purpose) {
  Names names;
  std::istringstream lines(source("packaging/dependencies").text);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(purpose + ' ')) names.insert(line.substr(purpose.size() + 1));
  }
  return names;
}

/// The packages of the field, without their versions; "NAME <!nocheck>" if only the tests need it.
Names build_depends() {
  Names names;
  bool inside = false;
  std::istringstream lines(source("debian/control").text);
  for (std::string line; std::getline(lines, line);) {
    if (inside && line.starts_with(' ')) {
      const bool of_tests = line.find("<!nocheck>") != std::string::npos;
      names.insert(line.substr(1, line.find_first_of(" ,", 1) - 1) + (of_tests ? " <!nocheck>" : ""));
    }
    if (!line.starts_with(' ')) inside = line == "Build-Depends:";
  }
  return names;
}

TEST_CASE("the package has the version of the program") {
  CHECK(first_match("debian/changelog", R"(^vtmirror \(([0-9.]+)\))") ==
        first_match("CMakeLists.txt", R"(project\(vtmirror VERSION ([0-9.]+) )"));
}

TEST_CASE("the package is built from what the program is built from") {
  auto expected = needed_for("build");
  REQUIRE(expected.erase("g++") == 1);  // every Debian build has a compiler
  expected.insert({"debhelper-compat", "systemd", "curl <!nocheck>", "doctest-dev <!nocheck>"});
  CHECK(build_depends() == expected);
}

TEST_CASE("each lockfile fixes the digest of every package from npm, and names no registry") {
  for (const std::string place : {"tests/end_to_end", "tests/browser"}) {
    CAPTURE(place);
    const auto lockfile = boost::json::parse(source(place + "/package-lock.json").text);
    const auto& packages = lockfile.at("packages").as_object();
    CHECK(packages.size() > 10);
    for (const auto& package : packages) {
      if (package.key().empty()) continue;  // the root
      CAPTURE(std::string(package.key()));
      CHECK(package.value().as_object().contains("integrity"));
      CHECK_FALSE(package.value().as_object().contains("resolved"));
    }
  }
}

TEST_CASE("the tests have what the package is built with") {
  const auto for_tests = needed_for("test");
  for (const auto& name : needed_for("package")) CHECK_MESSAGE(for_tests.contains(name), name);
}

}  // namespace
}  // namespace vtmirror::architecture
