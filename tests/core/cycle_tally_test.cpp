#include "vtmirror/core/cycle_tally.hpp"

#include "support/every.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <string>
#include <vector>

using namespace vtmirror;
using namespace vtmirror::core;
using namespace std::chrono_literals;

namespace {

CycleReport report(const CycleTally& tally) { return tally.report(0, 0, 0ms); }

Action removal(ActionKind kind, Reason reason, std::string name = "a.zip") {
  return {.kind = kind, .reason = reason, .name = std::move(name), .size = 30};
}

LeftOut left(FailureKind kind, bool is_held = false) {
  return {.action = {}, .failure = {kind, {.subject = "a.zip"}}, .is_held = is_held};
}

}  // namespace

TEST_CASE("a cycle without a failure is complete, and its report has what was adopted, downloaded and taken") {
  CycleTally tally;
  tally.adopted();
  const auto end = tally.report(2, 500, 3s);
  CHECK(end.outcome == Outcome::complete);
  CHECK(end.files == 3);
  CHECK(end.bytes == 500);
  CHECK(end.took == 3s);
  CHECK(end.failures.empty());
  CHECK_FALSE(end.stopped);
}

TEST_CASE("what is left out makes a cycle partial, unless only the entry of a held file is refused") {
  for (const auto& kind : test::every<FailureKind>()) {
    for (const bool is_held : {false, true}) {
      CAPTURE(kind.word);
      CAPTURE(is_held);
      CycleTally tally;
      tally.left_out(left(kind.value, is_held));
      CHECK((report(tally).outcome == Outcome::complete) == is_held);
      CHECK(report(tally).failures.size() == (is_held ? 0 : 1));
      CHECK(report(tally).refused == (kind.value == FailureKind::refused_entry ? 1 : 0));
    }
  }
}

TEST_CASE("files of the mirror are counted when they are removed, and neither quarantined nor unfinished ones") {
  CycleTally tally;
  tally.removed(removal(ActionKind::prune, Reason::beyond_keep_cycles));
  tally.removed(removal(ActionKind::prune, Reason::quarantine_over));
  tally.removed(removal(ActionKind::drop_partial, Reason::not_listed_any_more));
  CHECK(report(tally).removed == 1);
  CHECK(report(tally).removed_bytes == 30);
}

TEST_CASE("the loss of a file is no failure any more once the file is removed, and that of another one is") {
  for (const auto reason : {Reason::beyond_keep_cycles, Reason::quarantine_over}) {
    CycleTally tally;
    tally.left_out(left(FailureKind::lost));
    tally.removed(removal(ActionKind::drop_partial, Reason::not_listed_any_more));
    tally.removed(removal(ActionKind::prune, reason, "b.zip"));
    CHECK(report(tally).failures.size() == 1);
    tally.removed(removal(ActionKind::prune, reason));
    CHECK(report(tally).outcome == Outcome::complete);
  }
}

TEST_CASE("what kept several files from being removed counts once for each code and thing, whatever its words") {
  CycleTally tally;
  const std::vector<base::Error> errors{
      {.code = base::Errc::no_space, .detail = "the disk is full", .subject = "manifest.json"},
      {.code = base::Errc::no_space, .detail = "no space is left", .subject = "manifest.json"},
      {.code = base::Errc::io, .detail = "cannot remove", .subject = "a.zip"},
      {.code = base::Errc::io, .detail = "cannot remove", .subject = "b.zip"},
      {.code = base::Errc::catalogue, .detail = "it is locked"},
      {.code = base::Errc::catalogue, .detail = "it is locked, after 5 s"}};
  tally.stayed(errors);
  CHECK(report(tally).failures.size() == 4);
  CHECK(report(tally).outcome == Outcome::partial);
}

TEST_CASE("a file that is tried once more has not failed so far, and what failed of the others stays") {
  CycleTally tally;
  tally.failed({base::Errc::timed_out, "no byte"}, "a.zip");
  tally.failed({base::Errc::no_space, "full"}, "b.zip");
  tally.failed({base::Errc::io, "broken"});
  tally.begun(std::vector{removal(ActionKind::fetch, Reason::not_held)});
  const auto end = report(tally);
  REQUIRE(end.failures.size() == 2);
  CHECK(end.failures[0] == failure_of({base::Errc::no_space, "full"}, "b.zip"));
  CHECK(end.failures[1] == failure_of({base::Errc::io, "broken"}, ""));
}

TEST_CASE("what the chain lacks counts only where nothing failed") {
  const std::vector<Failure> lacking{{FailureKind::other, {.subject = "2026-11-16"}}};
  CycleTally whole, broken;
  CHECK(whole.has_to_ask_chain());
  whole.chain_lacks(lacking);
  CHECK(report(whole).failures == lacking);
  CHECK(report(whole).outcome == Outcome::partial);
  broken.failed({base::Errc::timed_out, "no byte"}, "a.zip");
  CHECK_FALSE(broken.has_to_ask_chain());
  broken.chain_lacks(lacking);
  REQUIRE(report(broken).failures.size() == 1);
  CHECK(report(broken).failures[0].cause.subject == "a.zip");
}

TEST_CASE("a stop while files wait for their download is what the report says") {
  CycleTally tally;
  tally.stopped_waiting();
  REQUIRE(report(tally).failures.size() == 1);
  CHECK(is_stop(report(tally).failures[0]));
}

TEST_CASE("only a link that was refused may have been refused because of a clock") {
  for (const auto& code : test::every<base::Errc>()) {
    for (const int status : {0, 399, 400, 401, 403, 404, 410, 500}) {
      CAPTURE(code.word);
      CAPTURE(status);
      const bool expected = code.value == base::Errc::link_refused && status >= 400 && status <= 403;
      CHECK(may_be_due_to_a_clock({.code = code.value, .status = status}) == expected);
    }
  }
}
