#include "vtmirror/report/problem_facts.hpp"

#include "support/every.hpp"

#include <doctest/doctest.h>

namespace vtmirror::report {
namespace {

TEST_CASE("each problem's row is found by its code and by its name, and a code of another version has none") {
  for (const auto& code : test::every<core::ProblemCode>()) {
    CAPTURE(code.word);
    CHECK(facts_of(code.value).code == code.value);
    REQUIRE(facts_of(code.word));
    CHECK(facts_of(code.word)->code == code.value);
  }
  CHECK_FALSE(facts_of("something_new"));
}

TEST_CASE(
    "a problem that is an error is more urgent than any warning, and the next cycle proves a refused credential") {
  for (const auto& facts : problem_facts) {
    CAPTURE(core::name(facts.code));
    CHECK((core::severity(facts.code) == core::Severity::warning) == (facts.rank == Rank::warning));
    if (facts.refused == Refused::credential) CHECK(facts.tried == Tried::always);
    if (facts.advised == Advised::by_error) CHECK(facts.said_by == SaidBy::outcome);
  }
}

}  // namespace
}  // namespace vtmirror::report
