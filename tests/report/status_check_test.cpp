#include "vtmirror/report/status_check.hpp"

#include "support/daemon_status.hpp"
#include "vtmirror/report/sentence.hpp"

#include <doctest/doctest.h>

#include <functional>
#include <string>
#include <vector>

namespace vtmirror::report {
namespace {

const base::Time evening = test::instant("2026-11-18T18:00:00Z");

struct Case {
  std::string name;
  std::function<void(Status&)> change;
  Judgement judgement;
  std::string words;  ///< somewhere in the line
};

/// As a daemon of this version sends it.
ProblemStatus problem(const std::string& code, const std::string& message) {
  return {.code = code, .since = evening, .message = message, .severity = severity(code)};
}

void add(Status& status, const std::string& code) { status.problems.push_back(problem(code, "as it is")); }

void fail(Status& status) {
  status.last_cycle->outcome = core::Outcome::failed;
  status.last_cycle->error = "unreachable: api.example";
}

TEST_CASE("a status is judged by the worst that is in it") {
  using report::Status;
  const std::vector<Case> cases{
      {"a quiet day", [](Status&) {}, Judgement::ok, "VTMIRROR OK - idle; through 2026-11-18, complete |"},
      {"a cycle that runs", [](Status& s) { s.state = core::State::syncing; }, Judgement::ok, "OK - syncing; "},
      {"a first start", [](Status& s) { s.last_cycle.reset(), s.chain = {}; }, Judgement::ok, "nothing held yet"},
      {"an incomplete cycle without a problem", [](Status& s) { s.last_cycle->outcome = core::Outcome::partial; },
       Judgement::ok, ""},
      {"the secret's last day", [](Status& s) { s.secret.days_left = 0; }, Judgement::ok, "days_left=0"},
      {"no known expiry", [](Status& s) { s.secret = {}; }, Judgement::ok, "days_left=U"},
      {"a problem of the warning kind", [](Status& s) { add(s, "late_delta"); }, Judgement::warning,
       "WARNING - late_delta: as it is |"},
      {"a problem of the error kind", [](Status& s) { add(s, "low_space"); }, Judgement::warning, "low_space"},
      {"a problem that is not known", [](Status& s) { add(s, "new_one"); }, Judgement::warning, "new_one: as it is"},
      {"a catalogue that cannot be read: what is known may be old",
       [](Status& s) { fail(s), add(s, "cycle_failed"), add(s, "catalogue_unreadable"); }, Judgement::unknown,
       "UNKNOWN - the last cycle failed: unreachable: api.example; catalogue_unreadable: as it is; cycle_failed: as it "
       "is |"},
      {"problems, the most urgent one first",
       [](Status& s) { add(s, "late_delta"), add(s, "low_space"), add(s, "secret_refused"); }, Judgement::warning,
       "WARNING - secret_refused: as it is; low_space: as it is; late_delta: as it is |"},
      {"a failed cycle", [](Status& s) { fail(s); }, Judgement::warning,
       "WARNING - the last cycle failed: unreachable: api.example |"},
      {"a failed cycle and a warning", [](Status& s) { fail(s), add(s, "late_delta"); }, Judgement::warning,
       "late_delta"},
      {"a failed cycle and an error", [](Status& s) { fail(s), add(s, "cycle_failed"); }, Judgement::critical,
       "CRITICAL - the last cycle failed: unreachable: api.example; cycle_failed: as it is |"},
      {"a secret beyond its day", [](Status& s) { s.secret.days_left = -1; }, Judgement::critical,
       "CRITICAL - the client secret has expired |"},
      {"a secret beyond a day that is an estimate",
       [](Status& s) {
         s.secret.days_left = -1;
         s.secret.estimated = true;
       },
       Judgement::critical, "CRITICAL - the client secret has expired (estimated) |"},
      {"a secret beyond its day, in the daemon's own words",
       [](Status& s) {
         s.secret.days_left = -1;
         add(s, "secret_expired");
       },
       Judgement::critical, "CRITICAL - secret_expired: as it is |"},
      {"a chain two days late", [](Status& s) { s.chain.through = test::date("2026-11-16"); }, Judgement::ok,
       "2026-11-16"},
      {"a chain three days late", [](Status& s) { s.chain.through = test::date("2026-11-15"); }, Judgement::critical,
       "CRITICAL - the chain ends on 2026-11-15 |"},
      {"nothing after a cycle", [](Status& s) { s.chain = {}; }, Judgement::critical,
       "nothing to load yet: no bulk file is held"},
  };
  for (const auto& each : cases) {
    auto status = test::quiet_status();
    each.change(status);
    const auto verdict = judge(status, evening);
    INFO(each.name, ": ", verdict.line);
    CHECK(verdict.judgement == each.judgement);
    CHECK(verdict.line.find(each.words) != std::string::npos);
  }
}

TEST_CASE("the reason of a failed cycle is printed once") {
  auto status = test::quiet_status();
  fail(status);
  status.last_cycle->code = base::Errc::unreachable;
  status.last_cycle->problem = core::ProblemCode::cycle_failed;
  status.problems.push_back(problem("cycle_failed", "unreachable: api.example"));
  CHECK(
      judge(status, evening).line.starts_with("VTMIRROR CRITICAL - the last cycle failed: unreachable: api.example |"));

  status.problems = {problem("secret_refused", "the issuer refuses the client secret: HTTP 401; ask for a new one")};
  status.last_cycle->error = "forbidden: HTTP 401";
  status.last_cycle->code = base::Errc::forbidden;
  CHECK(
      judge(status, evening)
          .line.starts_with("VTMIRROR CRITICAL - the last cycle failed; secret_refused: the issuer refuses the client "
                            "secret: HTTP 401; ask for a new one |"));
}

TEST_CASE("what a cycle failed of and what is wrong besides are both said") {
  auto status = test::quiet_status();
  fail(status);
  status.last_cycle->problem = core::ProblemCode::missing_files;
  status.problems = {problem("missing_files", "a.zip: timed_out (and 2 more)"),
                     problem("cycle_failed", "the last 4 cycles were cut off")};
  CHECK(judge(status, evening)
            .line.starts_with("VTMIRROR CRITICAL - the last cycle failed; cycle_failed: the last 4 cycles were cut off;"
                              " missing_files: a.zip: timed_out (and 2 more) |"));
  status.last_cycle->problem = core::ProblemCode::cycle_failed;
  status.last_cycle->code = base::Errc::unreachable;
  status.problems = {problem("secret_refused", "HTTP 401")};
  CHECK(judge(status, evening)
            .line.starts_with("VTMIRROR CRITICAL - the last cycle failed: unreachable: api.example; secret_refused: "
                              "HTTP 401 |"));
}

TEST_CASE("an error that only a newer daemon knows weighs as an error") {
  auto status = test::quiet_status();
  fail(status);
  status.problems = {problem("new_one", "as it is")};
  CHECK(judge(status, evening).judgement == Judgement::warning);
  status.problems.front().severity = core::Severity::error;
  CHECK(judge(status, evening).judgement == Judgement::critical);
}

TEST_CASE("the performance data stands behind the bar") {
  CHECK(judge(test::quiet_status(), evening).line ==
        "VTMIRROR OK - idle; through 2026-11-18, complete"
        " | age=64800s;; files=12 bytes=41300000000B free=210000000000B days_left=103");
}

TEST_CASE("the days of a secret that the issuer refuses are not known") {
  auto status = test::quiet_status();
  add(status, "secret_refused");
  CHECK(judge(status, evening).line.ends_with(" days_left=U"));
}

TEST_CASE("today's file is expected from the afternoon on") {
  CHECK(expected_day(test::instant("2026-11-18T13:59:59Z")) == test::date("2026-11-17"));
  CHECK(expected_day(test::instant("2026-11-18T14:00:00Z")) == test::date("2026-11-18"));
  auto status = test::quiet_status();
  status.chain.through = test::date("2026-11-15");
  CHECK(judge(status, test::instant("2026-11-18T13:59:59Z")).judgement == Judgement::ok);
  CHECK(judge(status, test::instant("2026-11-18T14:00:00Z")).judgement == Judgement::critical);
}

TEST_CASE("a message makes neither a second line nor performance data") {
  auto status = test::quiet_status();
  status.problems = {problem("low_space", "a|b\nc")};
  const auto line = judge(status, evening).line;
  CHECK(line.find("low_space: a/b c | age=") != std::string::npos);
  CHECK(line.find('\n') == std::string::npos);
}

TEST_CASE("without an answer nothing is known") {
  const auto verdict = judge(base::Error{base::Errc::unreachable, "no daemon answers at /s: No such file"});
  CHECK(verdict.judgement == Judgement::unknown);
  CHECK(verdict.line == "VTMIRROR UNKNOWN - no daemon answers at /s: No such file");
}

}  // namespace
}  // namespace vtmirror::report
