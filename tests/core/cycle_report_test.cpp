#include "vtmirror/core/cycle_report.hpp"

#include <doctest/doctest.h>

using namespace vtmirror;
using namespace vtmirror::core;

TEST_CASE("a cycle is not complete because of its first failure, or because it was stopped") {
  CycleReport report;
  CHECK(reason(report).empty());
  report.outcome = Outcome::partial;
  report.failures = {{FailureKind::lost, {.subject = "a.zip", .detail = "gone"}},
                     {FailureKind::other, {.code = base::Errc::timed_out, .subject = "b.zip", .detail = "no byte"}}};
  CHECK(reason(report) == "a.zip: gone");
  CHECK(failure(report) == report.failures.front());
  report.stopped = true;
  CHECK(reason(report) == sentence(stopped()));
  CHECK(failure(report) == stopped());
  report.outcome = Outcome::complete;
  CHECK(reason(report).empty());
}

TEST_CASE("a failure names its subject, and a lack of space and a refused entry say that they are that") {
  using base::Errc;
  CHECK(sentence(Failure{FailureKind::other, {.code = Errc::forbidden, .detail = "HTTP 403"}}) ==
        "forbidden: HTTP 403");
  CHECK(sentence(Failure{FailureKind::damaged, {.code = Errc::integrity, .subject = "a.zip", .detail = "cut"}}) ==
        "a.zip: integrity: cut");
  Failure no_space{FailureKind::no_space, {.code = Errc::no_space, .subject = "a.zip"}};
  no_space.cause.fields = {{"needed", std::int64_t{1}}, {"free", std::int64_t{0}}, {"reserve", std::int64_t{0}}};
  CHECK(sentence(no_space).starts_with("no_space: a.zip does not fit: it needs 1 B"));
  CHECK(sentence(Failure{FailureKind::refused_entry, {.subject = "delta[3]", .detail = "no link"}}) ==
        "entry delta[3] of the listing is refused: no link");
}

TEST_CASE("the failure behind an error has its kind, and says its code once") {
  using base::Errc;
  const auto full = failure_of({Errc::no_space, "disk full"}, "a.zip");
  CHECK(full == Failure{FailureKind::no_space, {.code = Errc::no_space, .subject = "a.zip", .detail = "disk full"}});
  CHECK(sentence(full) == "a.zip: no_space: disk full");
  const auto cut = failure_of({Errc::integrity, "cut"}, "a.zip");
  CHECK(cut == Failure{FailureKind::damaged, {.code = Errc::integrity, .subject = "a.zip", .detail = "cut"}});
  CHECK(sentence(cut) == "a.zip: integrity: cut");
  const auto slow = failure_of({Errc::timed_out, "no byte"}, "");
  CHECK(slow == Failure{FailureKind::other, {.code = Errc::timed_out, .detail = "no byte"}});
  CHECK(sentence(slow) == "timed_out: no byte");
}
