#include "vtmirror/core/problem.hpp"

#include "support/every.hpp"

#include <doctest/doctest.h>

using namespace vtmirror;

TEST_CASE("every problem's code has its row, under its own name, and is found by it") {
  const auto all = test::every<core::ProblemCode>();
  CHECK(all.size() == core::problem_kinds.size());
  for (const auto& code : all) {
    CAPTURE(code.word);
    CHECK(core::kind_of(code.value).code == code.value);
    CHECK(core::name(code.value) == code.word);
    CHECK(core::problem_code(code.word) == code.value);
  }
  CHECK_FALSE(core::problem_code("something_new"));
  CHECK_FALSE(core::problem_code(""));
}

TEST_CASE("every kind of failure has its name, is found by it, and is a problem") {
  for (const auto& kind : test::every<core::FailureKind>()) {
    CAPTURE(kind.word);
    CHECK(core::name(kind.value) == kind.word);
    CHECK(core::failure_kind(kind.word) == kind.value);
  }
  CHECK_FALSE(core::failure_kind("something_new"));
  using core::FailureKind;
  using core::ProblemCode;
  CHECK(core::problem_of({FailureKind::no_space, {.subject = "a"}}) == ProblemCode::low_space);
  CHECK(core::problem_of({FailureKind::other, {.subject = "a"}}) == ProblemCode::missing_files);
  CHECK(core::problem_of({FailureKind::other, {}}) == ProblemCode::cycle_failed);
  CHECK(core::problem_of({FailureKind::other, {.code = base::Errc::empty_listing}}) == ProblemCode::empty_listing);
}

TEST_CASE("what stops the mirror or costs a file is an error, and what only needs a look is a warning") {
  CHECK(core::severity(core::ProblemCode::secret_expired) == core::Severity::error);
  CHECK(core::severity(core::ProblemCode::empty_listing) == core::Severity::error);
  CHECK(core::severity(core::ProblemCode::late_delta) == core::Severity::warning);
  CHECK_FALSE(core::kind_of(core::ProblemCode::secret_expires).is_announced);
  CHECK(core::kind_of(core::ProblemCode::secret_expired).is_announced);
}
