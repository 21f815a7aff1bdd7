#include "architecture/text_rules.hpp"
#include "architecture/tool.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <regex>
#include <string>

namespace vtmirror::architecture {
namespace fs = std::filesystem;

namespace {

int breaches(const std::string& line) {
  return static_cast<int>(check_test({"tests/net/x_test.cpp", line + "\n"}).size());
}

bool is_of_this_check(const Source& file) {
  return file.path.starts_with("tests/architecture/");
}  // holds the examples below

TEST_CASE("no test of the project sleeps, fixes a port or reads the machine's clock") {
  std::vector<Finding> found;
  for (const auto& file : sources({"tests"}, {".cpp", ".hpp"})) {
    if (!is_of_this_check(file)) add(found, check_test(file));
  }
  INFO(listed(found));
  CHECK(found.empty());
}

TEST_CASE("a test that sleeps is refused") {
  CHECK(breaches("  std::this_thread::sleep_for(1s);") == 1);
  CHECK(breaches("  ::usleep(10);") == 1);
  CHECK(breaches("  sleep(1);") == 1);
}

TEST_CASE("a test that fixes a port is refused, one that lets the kernel pick is not") {
  CHECK(breaches("  address.sin_port = htons(8080);") == 1);
  CHECK(breaches("  acceptor.bind(tcp::endpoint(loopback, 8080));") == 1);
  CHECK(breaches("  out << \"listen 127.0.0.1:8080 ssl;\";") == 1);
  CHECK(breaches("  acceptor.bind(tcp::endpoint(loopback, 0));") == 0);
  CHECK(breaches("  address.sin_port = htons(0);") == 0);
}

TEST_CASE("a test that skips its case without a reason is refused, one that gives a reason is not") {
  const std::string begin = "TEST_CASE(\"a case of three words\") {\n";
  CHECK(breaches(begin + "  if (!installed()) return;\n}") == 1);
  CHECK(breaches(begin + "  if (!installed()) {\n    log();\n    return;\n  }\n}") == 1);
  CHECK(breaches(begin + "  if (!installed()) return skip(\"no groff here\");\n}") == 0);
  CHECK(breaches(begin + "  for (;;) {\n    if (done) return;\n  }\n}") == 1);
  CHECK(breaches(begin + "  const auto act = [&] {\n    if (done) return;\n  };\n}") == 0);
  CHECK(breaches(begin +
                 "  for (;;) {\n    on([&](int n) {\n      if (n) return;\n    });\n    if (n) return;\n  }\n}") == 1);
  CHECK(breaches("void act() {\n  if (done) return;\n}") == 0);
  CHECK(breaches("  MESSAGE(\"skipped: no groff here\");") == 1);
}

TEST_CASE("a test that captures a structured binding is refused, one that captures another value is not") {
  CHECK(breaches("  const auto [ended, peak] = run();\n  CAPTURE(ended.err);") == 1);
  CHECK(breaches("  for (const auto& [name, size] : files) {\n    INFO(\"of \" << name);\n  }") == 1);
  CHECK(breaches("  for (const auto& [name, size] : files) use(name);\n  CAPTURE(name);") == 0);
  CHECK(breaches("  {\n    const auto [name, size] = file();\n  }\n  CAPTURE(name);") == 0);
  CHECK(breaches("  const auto [name, size] = file();\n  CAPTURE(named);") == 0);
}

TEST_CASE("a test that walks an enumeration by its numbers is refused") {
  CHECK(breaches("  for (int code = 0; code <= static_cast<int>(Errc::locked); ++code) {") == 1);
  CHECK(breaches("  for (int i = 0; i <= int(ActionKind::drop_partial); ++i) {") == 1);
  CHECK(breaches("  for (const auto& code : test::every<Errc>()) {") == 0);
}

TEST_CASE("a test that reads the wall clock is refused") { CHECK(breaches("  auto t = system_clock::now();") == 1); }

// With one line that it cannot read, it starts no program at all; a space before or behind the colon is enough.
TEST_CASE("each suppression of ThreadSanitizer is written as it reads them, below a reason") {
  static const std::regex suppression("(race|race_top|thread|mutex|signal|deadlock|called_from_lib):[^ ]+");
  std::string before;
  each_line(source("tests/support/tsan.supp"), [&](const std::string& line, int number) {
    INFO("line ", number, ": ", line);
    if (!line.starts_with("#")) {
      CHECK(std::regex_match(line, suppression));
      CHECK(before.starts_with("# "));
    }
    before = line;
  });
}

TEST_CASE("a test program that runs no case fails, and one that is only asked a question does not") {
  const auto program = "'" + fs::read_symlink("/proc/self/exe").string() + "' ";
  const auto none = run(program + "--source-file='*/renamed_test.cpp'");
  CHECK(none.status == 1);
  CHECK(none.output.find("failed: no case ran") != std::string::npos);
  for (const std::string question : {"--list-test-cases", "--count", "--list-test-suites", "--no-run", "--help"}) {
    CAPTURE(question);
    CHECK(run(program + question + " --test-case='no such case'").status == 0);
  }
  CHECK(run(program + "--test-case='a test whose name is a word*'").status == 0);
}

TEST_CASE("a test whose name is a word instead of a sentence is refused") {
  CHECK(breaches("TEST_CASE(\"parse\") {") == 1);
  CHECK(breaches("TEST_CASE(\"a listing without a bulk file is refused\") {") == 0);
}

}  // namespace
}  // namespace vtmirror::architecture
