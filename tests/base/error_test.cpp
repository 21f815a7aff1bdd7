#include "vtmirror/base/result.hpp"

#include "support/every.hpp"

#include <doctest/doctest.h>

#include <stdexcept>
#include <string>

using namespace vtmirror::base;

TEST_CASE("every error code's name is its word in the source") {
  for (const auto& code : vtmirror::test::every<Errc>()) CHECK(name(code.value) == code.word);
  CHECK(name(Errc::changed_upstream) == "changed_upstream");
}

TEST_CASE("an error's message names the code and the object") {
  CHECK(Error{Errc::timed_out, "no byte from store.example:443 for 30 s"}.message() ==
        "timed_out: no byte from store.example:443 for 30 s");
  CHECK(Error{Errc::cancelled}.message() == "cancelled");
  CHECK(Error{Errc::http_status, "", 502}.message() == "http_status: HTTP 502");
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
