#include "architecture/text_rules.hpp"

#include <doctest/doctest.h>

namespace vtmirror::architecture {
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

TEST_CASE("a test that reads the wall clock is refused") { CHECK(breaches("  auto t = system_clock::now();") == 1); }

TEST_CASE("a test whose name is a word and no sentence is refused") {
  CHECK(breaches("TEST_CASE(\"parse\") {") == 1);
  CHECK(breaches("TEST_CASE(\"a listing without a bulk file is refused\") {") == 0);
}

}  // namespace
}  // namespace vtmirror::architecture
