#include "vtmirror/core/history.hpp"

#include <doctest/doctest.h>

using namespace vtmirror;
using namespace vtmirror::core;

TEST_CASE("a cycle is not complete because of its first failure, or because it was stopped") {
  CycleReport report;
  CHECK_FALSE(failure(report));
  report.outcome = Outcome::partial;
  report.failures = {{FailureKind::lost, {.subject = "a.zip", .detail = "gone"}},
                     {FailureKind::other, {.code = base::Errc::timed_out, .subject = "b.zip", .detail = "no byte"}}};
  CHECK(failure(report) == report.failures.front());
  report.stopped = true;
  CHECK(failure(report) == stopped());
  report.outcome = Outcome::complete;
  CHECK_FALSE(failure(report));
}

TEST_CASE("the failure behind an error has its kind, and the code that the service has for it") {
  using base::Errc;
  CHECK(failure_of({Errc::no_space, "disk full"}, "a.zip") ==
        Failure{FailureKind::no_space, {.code = Errc::no_space, .subject = "a.zip", .detail = "disk full"}});
  CHECK(failure_of({Errc::integrity, "cut"}, "a.zip") ==
        Failure{FailureKind::damaged, {.code = Errc::integrity, .subject = "a.zip", .detail = "cut"}});
  CHECK(failure_of({Errc::timed_out, "no byte"}, "") ==
        Failure{FailureKind::other, {.code = Errc::timed_out, .detail = "no byte"}});
  const auto refused = failure_of({.code = Errc::forbidden, .detail = "HTTP 403", .service_code = "FB-03"}, "");
  CHECK(text(refused.cause, "service_code") == "FB-03");
}
