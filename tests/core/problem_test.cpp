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

TEST_CASE("what an error has beside its code and text is kept in fields of its cause, and old rows are read") {
  const base::Error error{.code = base::Errc::tls,
                          .detail = "token request to login.example/T failed: expired",
                          .service_code = "FB-03",
                          .subject = "token request",
                          .why = "expired",
                          .diagnosis = base::Diagnosis::outside_its_time};
  const auto cause = core::cause_of(error);
  CHECK(core::service_code(cause) == "FB-03");
  CHECK(core::diagnosis(cause) == base::Diagnosis::outside_its_time);
  CHECK(core::why(cause) == "expired");
  CHECK(core::text(cause, "request") == "token request");
  const core::Cause old{.fields = {{"service_code", "proxy_login"}}};
  CHECK(core::diagnosis(old) == base::Diagnosis::proxy_login);
  CHECK(core::service_code(old).empty());
  CHECK(core::why(old).empty());
  const core::Cause none = core::cause_of({base::Errc::io, "a.zip"});
  CHECK(none.fields.empty());
  CHECK(core::diagnosis(none) == base::Diagnosis::none);
}

TEST_CASE("what stops the mirror or costs a file is an error, and what only needs a look is a warning") {
  CHECK(core::severity(core::ProblemCode::secret_expired) == core::Severity::error);
  CHECK(core::severity(core::ProblemCode::empty_listing) == core::Severity::error);
  CHECK(core::severity(core::ProblemCode::late_delta) == core::Severity::warning);
  CHECK_FALSE(core::kind_of(core::ProblemCode::secret_expires).is_announced);
  CHECK(core::kind_of(core::ProblemCode::secret_expired).is_announced);
}
