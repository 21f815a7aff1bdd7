#include "vtmirror/base/result.hpp"

#include "support/every.hpp"

#include <doctest/doctest.h>

#include <sstream>
#include <stdexcept>
#include <string>

using namespace vtmirror::base;

TEST_CASE("every error code's name is its word in the source") {
  for (const auto& code : vtmirror::test::every<Errc>()) CHECK(name(code.value) == code.word);
  CHECK(name(Errc::changed_upstream) == "changed_upstream");
}

TEST_CASE("every diagnosis's name is its word in the source, and finds it") {
  for (const auto& diagnosis : vtmirror::test::every<Diagnosis>()) {
    CHECK(name(diagnosis.value) == diagnosis.word);
    CHECK(diagnosis_of(diagnosis.word) == diagnosis.value);
  }
  CHECK(diagnosis_of("") == Diagnosis::none);
  CHECK(diagnosis_of("FB-03") == Diagnosis::none);
}

std::string printed(const Error& error) {
  std::ostringstream out;
  out << error;
  return out.str();
}

TEST_CASE("an error's message is for people and has no code; a failed test's output has it") {
  const Error stalled{Errc::timed_out, "no byte from store.example:443 for 30 s"};
  CHECK(stalled.message() == "no byte from store.example:443 for 30 s");
  CHECK(printed(stalled) == "timed_out: no byte from store.example:443 for 30 s");
  CHECK(Error{Errc::cancelled}.message() == "cancelled");
  CHECK(printed(Error{Errc::cancelled}) == "cancelled");
  CHECK(Error{Errc::timed_out}.message() == "timed out");
  CHECK(Error{Errc::http_status, "", 502}.message() == "HTTP 502");
  CHECK(printed(Error{Errc::http_status, "", 502}) == "http_status: HTTP 502");
}

TEST_CASE("asking an error for its value is a bug that says where it is") {
  const Result<int> result = Error{Errc::io, "disk on fire"};
  try {
    (void)result.value();
    FAIL("no exception");
  } catch (const std::logic_error& e) {
    const std::string what = e.what();
    CHECK(what.find("io: disk on fire") != std::string::npos);
    CHECK(what.find("error_test.cpp") != std::string::npos);
  }
}

TEST_CASE("a result holds a value or an error") {
  const Result<std::string> good = std::string{"text"};
  REQUIRE(good);
  CHECK(*good == "text");
  const Result<void> nothing;
  CHECK(nothing);
  const Result<void> bad = Error{Errc::locked};
  REQUIRE_FALSE(bad);
  CHECK(bad.error() == Error{Errc::locked});
}
