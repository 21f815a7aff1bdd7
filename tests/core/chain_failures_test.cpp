// What a chain lacks, as failures: code and fields, and what they decide.
#include "vtmirror/core/chain_failures.hpp"

#include "support/every.hpp"
#include "support/upstream.hpp"
#include "vtmirror/core/problem.hpp"

#include <doctest/doctest.h>

#include <optional>
#include <string>
#include <vector>

using namespace vtmirror::core;
using namespace vtmirror::test;
namespace base = vtmirror::base;

namespace {

Chain lacking(MissingReason reason, Cause cause = {}) {
  Chain chain;
  chain.missing = {{Kind::delta, delta(1).name, day(1), reason, std::move(cause)}};
  return chain;
}

/// As the catalogue keeps the fields.
Cause stored(Cause cause) {
  cause.fields = parse_fields(fields_json(cause.fields)).value();
  return cause;
}

}  // namespace

TEST_CASE("a complete chain is no failure, whatever older files it lacks") {
  auto chain = lacking(MissingReason::lost);
  chain.complete = true;
  CHECK(failures_of(chain).empty());
}

TEST_CASE("each missing file is a failure about it, and only one that was lost meanwhile may still come") {
  for (const auto& reason : every<MissingReason>()) {
    CAPTURE(reason.word);
    const auto failures = failures_of(lacking(reason.value));
    REQUIRE(failures.size() == 1);
    CHECK(failures[0].kind == FailureKind::other);
    CHECK(failures[0].cause.subject == delta(1).name);
    CHECK(failures[0].cause.detail.empty());
    CHECK(problem_of(failures[0]) == ProblemCode::missing_files);
    const bool may_come = reason.value == MissingReason::lost || reason.value == MissingReason::damaged;
    CHECK(no_try_helps(failures[0]) == !may_come);
  }
}

TEST_CASE("reason and cause of the file are read from the failure as they were") {
  const std::vector<Cause> causes{
      {},
      {.detail = "fileSize: it is missing"},
      {.code = base::Errc::integrity, .detail = "a member is cut"},
      {.code = base::Errc::http_status, .status = 404},
      deadly_check(3),
      {.code = base::Errc::no_space, .fields = {{"needed", std::int64_t{60}}, {"free", std::int64_t{39}}}}};
  for (const auto& reason : every<MissingReason>()) {
    for (const auto& cause : causes) {
      const auto failure = failures_of(lacking(reason.value, cause)).front();
      CHECK_FALSE(failure.cause.code);  // it decides nothing about a missing file
      const auto file = missing_in(stored(failure.cause));
      REQUIRE(file);
      CHECK(file->name == delta(1).name);
      CHECK(file->reason == reason.value);
      CHECK(stored(file->cause) == stored(cause));
    }
  }
  CHECK_FALSE(missing_in({.subject = delta(1).name, .detail = "quarantined: a member is cut"}));
}

TEST_CASE("days of which nothing is known are one failure, about the first of them, that no try of the day helps") {
  Chain chain;
  chain.unaccounted = {day(1), day(2), day(4)};
  const auto failures = failures_of(chain);
  REQUIRE(failures.size() == 1);
  CHECK(failures[0].cause.subject == base::iso8601(day(1)));
  CHECK(unaccounted_in(stored(failures[0].cause)) == chain.unaccounted);
  CHECK(unaccounted_in({.subject = base::iso8601(day(1))}).empty());
  CHECK(no_try_helps(failures[0]));
}

TEST_CASE("files come before days") {
  auto chain = lacking(MissingReason::not_downloaded);
  chain.unaccounted = {day(0)};
  const auto failures = failures_of(chain);
  REQUIRE(failures.size() == 2);
  CHECK(failures[0].cause.subject == delta(1).name);
}

TEST_CASE("no try helps a file that is lost and not listed, also as an older version stored it") {
  CHECK(no_try_helps({FailureKind::lost, {.subject = "a.zip"}}));
  CHECK(no_try_helps({FailureKind::other, {.subject = "a.zip", .fields = {{"not_listed", std::int64_t{1}}}}}));
  CHECK_FALSE(no_try_helps({FailureKind::other, {.code = base::Errc::timed_out, .subject = "a.zip"}}));
  CHECK_FALSE(no_try_helps({FailureKind::no_space, {.subject = "a.zip"}}));
  CHECK_FALSE(no_try_helps(stopped()));
}

TEST_CASE("how a file was lost that cannot be downloaded again is read from its cause") {
  for (const auto& reason : every<Reason>()) CHECK(loss_in(stored(lost_for_good(reason.value))) == reason.value);
  CHECK_FALSE(loss_in({.detail = "gone_from_disk"}));
}
