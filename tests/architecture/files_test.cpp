#include "architecture/text_rules.hpp"

#include <doctest/doctest.h>

#include <algorithm>

namespace vtmirror::architecture {
namespace {

struct Exception {
  std::string path;
  std::string reason;
};
/// Files that may be longer, up to `longest_of_all`, each with why.
const std::vector<Exception> may_be_long{
    {"src/core/transfer.cpp", "what an event leads to is read beside what it leads to on the other connections"},
    {"src/agent/transfer.cpp", "the steps of a connection and the bytes that they bring are one carrying out"},
    {"src/agent/cycle.cpp", "a cycle is its steps in their order, and what each leaves out"},
    {"src/agent/outbox.cpp", "the lines of the channels and the attempts on them keep one promise together"},
};

constexpr int longest_of_all = 400;

bool is_excepted(const Source& file) {
  return std::any_of(may_be_long.begin(), may_be_long.end(),
                     [&](const Exception& each) { return each.path == file.path; });
}

TEST_CASE("no file of the program is longer than one can read at a sitting") {
  std::vector<Finding> found;
  for (const auto& file : sources({"include", "src"}, {".hpp", ".cpp", ".in"})) {
    add(found, check_length(file, is_excepted(file) ? longest_of_all : longest_file));
  }
  INFO(listed(found));
  CHECK(found.empty());
}

TEST_CASE("every header says what it is before it says anything else") {
  std::vector<Finding> found;
  for (const auto& file : sources({"include", "src", "tests"}, {".hpp"})) add(found, check_header(file));
  INFO(listed(found));
  CHECK(found.empty());
}

TEST_CASE("every public header says what it promises or never does") {
  const auto headers = sources({"include"}, {".hpp"});
  CHECK(headers.size() > 100);
  std::vector<Finding> found;
  for (const auto& file : headers) add(found, check_contract(file));
  INFO(listed(found));
  CHECK(found.empty());
}

TEST_CASE("a file of the longest length passes, one line more does not") {
  CHECK(check_length({"src/x.cpp", std::string(longest_file, '\n')}).empty());
  CHECK(check_length({"src/x.cpp", std::string(longest_file + 1, '\n')}).size() == 1);
  CHECK(check_length({"src/x.cpp", std::string(longest_of_all, '\n')}, longest_of_all).empty());
  CHECK(check_length({"src/x.cpp", std::string(longest_of_all + 1, '\n')}, longest_of_all).size() == 1);
}

TEST_CASE("a public header's contract is looked for in its opening comment alone, over its lines") {
  const auto passes = [](const std::string& text) { return check_contract({"x.hpp", text}).empty(); };
  for (const auto* contract :
       {"Promises that it ends.", "It never prints.", "Never prints.", "Pure.", "Only\n// values.", "Changes nothing."})
    CHECK(passes("// What it is. " + std::string(contract) + "\n#pragma once\n"));
  CHECK_FALSE(passes("// What it is.\n#pragma once\n"));
  CHECK_FALSE(passes("// Impure and nevertheless fine.\n#pragma once\n"));
  CHECK_FALSE(passes("// What it is.\n#pragma once\n\n// Promises that it ends.\nint f();\n"));
}

TEST_CASE("a header without a comment at its head, or without its guard, is refused") {
  CHECK(check_header({"x.hpp", "// What it is.\n#pragma once\n"}).empty());
  CHECK(check_header({"x.hpp", "#pragma once\n// What it is.\n"}).size() == 2);
  CHECK(check_header({"x.hpp", "// What it is.\nint f();\n"}).size() == 1);
}

}  // namespace
}  // namespace vtmirror::architecture
