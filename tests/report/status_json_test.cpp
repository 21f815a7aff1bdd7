#include "report/status_examples.hpp"
#include "vtmirror/report/status.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace vtmirror;
using test::AnyStatus;
using test::at;
using test::day;
using test::quiet;

namespace {

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const auto found = text.find(from);
  REQUIRE(found != std::string::npos);
  return text.replace(found, from.size(), to);
}

TEST_CASE("the status of an idle daemon has the contract's keys, in its order, and null for what is not there") {
  CHECK(
      report::status_json(quiet()) ==
      R"({"schema":1,"version":"1.0.0","state":"idle","since":"2026-11-18T08:10:22Z","next_wake":"2026-11-19T08:03:10Z",)"
      R"("last_cycle":{"started":"2026-11-18T08:03:10Z","finished":"2026-11-18T08:10:22Z","outcome":"complete",)"
      R"("files":2,"bytes":95800000,"error":null,"code":null,"service_code":null,"problem":null,"advice":null},"cycle":null,)"
      R"("mirror":{"directory":"/var/lib/vtmirror/mirror","files":12,"bytes":41300000000,"free":210000000000,)"
      R"("generation":42,"quarantined":0,"quarantined_bytes":0,"forecast":null},"chain":{"complete":true,"through":"2026-11-18","missing":[],"absent_upstream":[],"unaccounted":[]},)"
      R"("secret":{"expires_on":"2027-03-01","estimated":false,"days_left":103,"warned":[30]},)"
      R"("api_key":{"last_used":"2026-11-18T08:03:12Z","revoked_after":"2027-02-16T08:03:12Z"},"consumers":[],"problems":[],"verification":null})");
}

TEST_CASE("the status of a daemon that has just started is null wherever nothing is known") {
  CHECK(
      report::status_json({}) ==
      R"({"schema":1,"version":"","state":"starting","since":"1970-01-01T00:00:00Z","next_wake":null,"last_cycle":null,)"
      R"("cycle":null,"mirror":{"directory":"","files":0,"bytes":0,"free":0,"generation":null,"quarantined":0,"quarantined_bytes":0,"forecast":null},)"
      R"("chain":{"complete":false,"through":null,"missing":[],"absent_upstream":[],"unaccounted":[]},)"
      R"("secret":{"expires_on":null,"estimated":false,"days_left":null,"warned":[]},)"
      R"("api_key":{"last_used":null,"revoked_after":null},"consumers":[],"problems":[],"verification":null})");
}

TEST_CASE("a running cycle and the problems are written in full") {
  auto status = quiet();
  status.state = core::State::syncing;
  status.cycle = report::CycleStatus{at("2026-11-19T08:03:10Z"), 5, 3, 40, 10, 7, std::chrono::seconds(12), {}};
  status.cycle->published = 2;
  status.cycle->fetched = 9;
  status.cycle->downloads = {{"v1/a.zip", 30, 4, 7, 4, 2}};
  status.chain = {false, day("2026-11-18"), {"v1/a.zip"}, {day("2026-11-17")}, {day("2026-11-16")}};
  status.last_cycle->error = "timed_out: no byte";
  status.problems = {{"late_delta", at("2026-11-18T14:00:00Z"), "not listed", "wait"},
                     {"low_space", at("2026-11-18T14:00:00Z"), "full", "", core::Severity::error}};
  status.verification = report::VerificationStatus{at("2026-11-19T08:03:00Z"), 5, 2, 40, 10};
  status.problems[0].subject = "2026-11-18";
  status.problems[0].next_try = at("2026-11-19T08:00:00Z");
  const auto json = report::status_json(status);
  for (
      const auto* part :
      {R"("error":"timed_out: no byte")",
       R"("cycle":{"started":"2026-11-19T08:03:10Z","step":"downloading","asking":null,"files":5,"done":3,"published":2,)"
       R"("bytes":40,"received":10,"fetched":9,"rate":7,"eta":12,)"
       R"("downloads":[{"name":"v1/a.zip","size":30,"received":4,"rate":7,"connections":4,"attempt":2}]})",
       R"("missing":["v1/a.zip"],"absent_upstream":["2026-11-17"],"unaccounted":["2026-11-16"])",
       R"("problems":[{"code":"late_delta","severity":"warning","subject":"2026-11-18","since":"2026-11-18T14:00:00Z",)"
       R"("message":"not listed","advice":"wait","next_try":"2026-11-19T08:00:00Z"},)"
       R"({"code":"low_space","severity":"error","subject":null,"since":"2026-11-18T14:00:00Z",)"
       R"("message":"full","advice":"","next_try":null}])",
       R"("verification":{"started":"2026-11-19T08:03:00Z","files":5,"done":2,"bytes":40,"read":10})"}) {
    INFO(part);
    CHECK(json.find(part) != std::string::npos);
  }
}

TEST_CASE("what a cycle asks for, and a pause, are written, and an older daemon's cycle is read without them") {
  auto status = quiet();
  status.cycle.emplace();
  status.cycle->step = ports::Step::listing;
  status.cycle->asking = ports::Asking{.since = at("2026-11-19T08:03:10Z")};
  auto json = report::status_json(status);
  CHECK(json.find(R"("step":"listing","asking":{"since":"2026-11-19T08:03:10Z","until":null,"reason":null})") !=
        std::string::npos);
  status.cycle->asking->until = at("2026-11-19T08:03:40Z");
  status.cycle->asking->reason = "busy";
  json = report::status_json(status);
  CHECK(json.find(R"("until":"2026-11-19T08:03:40Z","reason":"busy"})") != std::string::npos);
  CHECK(report::parse_status(json)->cycle == status.cycle);
  const std::string newer = R"("step":"listing",)";
  json.erase(json.find(newer), newer.size());
  CHECK(report::parse_status(json)->cycle->step == ports::Step::listing);
}

TEST_CASE("a generation that is not known is null, which is not the generation before the first publication") {
  auto status = quiet();
  status.mirror.generation.reset();
  const auto json = report::status_json(status);
  CHECK(json.find(R"("generation":null)") != std::string::npos);
  CHECK_FALSE(report::parse_status(json)->mirror.generation);
  status.mirror.generation = 0;
  CHECK(report::parse_status(report::status_json(status))->mirror.generation == 0);
}

TEST_CASE("a problem says when the daemon tries again what the next cycle can mend, and its severity and subject") {
  const auto wake = at("2026-11-19T08:00:00Z");
  core::Problem problem{.code = core::ProblemCode::missing_files, .since = at("2026-11-18T08:05:00Z")};
  problem.cause = {.code = base::Errc::link_refused, .subject = "v1/a.zip", .detail = "the store answered HTTP 404"};
  auto status = report::problem_status(problem, wake);
  CHECK(status.code == "missing_files");
  CHECK(status.severity == core::Severity::error);
  CHECK(status.subject == "v1/a.zip");
  CHECK(status.message == "v1/a.zip: the store answered HTTP 404");
  CHECK(status.next_try == wake);
  CHECK_FALSE(report::problem_status(problem, {}).next_try.has_value());
  problem.code = core::ProblemCode::damaged_file;
  CHECK_FALSE(report::problem_status(problem, wake).next_try.has_value());
}

TEST_CASE("an older daemon's problem has the severity of its code, and no time of the next try") {
  auto status = quiet();
  status.problems = {{"low_space", at("2026-11-18T14:00:00Z"), "full", "make room", core::Severity::error}};
  const auto json = replaced(replaced(report::status_json(status), R"("severity":"error","subject":null,)", ""),
                             R"(,"next_try":null)", "");
  const auto read = report::parse_status(json);
  REQUIRE(read.has_value());
  CHECK(*read == status);
}

TEST_CASE("any status is read back as it was written") {
  AnyStatus any(20261118);
  for (int i = 0; i < 2'000; ++i) {
    const auto status = any.make();
    const auto read = report::parse_status(report::status_json(status));
    INFO("status number ", i, ": ", report::status_json(status));
    REQUIRE(read.has_value());
    REQUIRE(*read == status);
    if (!status.last_cycle) continue;
    const auto last = report::parse_last_cycle(report::last_cycle_json(*status.last_cycle));
    REQUIRE(last.has_value());
    REQUIRE(*last == *status.last_cycle);
  }
}

TEST_CASE("a newer daemon's further keys are skipped, at every level") {
  auto json = replaced(report::status_json(quiet()), R"("version")", R"("mood":{"x":[1]},"version")");
  json = replaced(json, R"("generation":42)", R"("generation":42,"inodes":7)");
  const auto read = report::parse_status(json);
  REQUIRE(read.has_value());
  CHECK(*read == quiet());
}

TEST_CASE("a value of another type is refused with its place") {
  struct Case {
    std::string from;
    std::string to;
    std::string place;
  };
  const std::vector<Case> cases{
      {R"("version":"1.0.0")", R"("version":1)", "version"},
      {R"("state":"idle")", R"("state":"bored")", "state"},
      {R"("2026-11-19T08:03:10Z")", R"("tomorrow")", "next_wake"},
      {R"("files":2)", R"("files":2.0)", "last_cycle.files"},
      {R"("files":2)", R"("files":"2")", "last_cycle.files"},
      {R"("files":2)", R"("files":3000000000)", "last_cycle.files"},
      {R"("outcome":"complete")", R"("outcome":"fine")", "last_cycle.outcome"},
      {R"("error":null)", R"("error":0)", "last_cycle.error"},
      {R"("bytes":41300000000)", R"("bytes":-1)", "mirror.bytes"},
      {R"("bytes":41300000000)", R"("bytes":18446744073709551615)", "mirror.bytes"},
      {R"("generation":42)", R"("generation":"42")", "mirror.generation"},
      {R"("complete":true)", R"("complete":1)", "chain.complete"},
      {R"("missing":[])", R"("missing":[1])", "chain.missing"},
      {R"("absent_upstream":[])", R"("absent_upstream":["2026-02-30"])", "chain.absent_upstream"},
      {R"("warned":[30])", R"("warned":30)", "secret.warned"},
      {R"("2027-03-01")", R"("2027-02-30")", "secret.expires_on"},
      {R"("days_left":103)", R"("days_left":"103")", "secret.days_left"},
      {R"("cycle":null)", R"("cycle":[])", "cycle"},
      {R"("problems":[])", R"("problems":[1])", "problems"},
      {R"("problems":[])", R"("problems":[{"code":"x","since":"now","message":""}])", "problems[].since"},
  };
  for (const auto& each : cases) {
    const auto read = report::parse_status(replaced(report::status_json(quiet()), each.from, each.to));
    INFO(each.to);
    REQUIRE(read.has_error());
    CHECK(read.error().code == base::Errc::protocol);
    CHECK(read.error().detail.starts_with("the daemon's status: " + each.place + " is not "));
  }
}

TEST_CASE("a member that is missing is called missing") {
  const auto read = report::parse_status(replaced(report::status_json(quiet()), R"("version":)", R"("edition":)"));
  REQUIRE(read.has_error());
  CHECK(read.error().detail == "the daemon's status: version is missing");
}

TEST_CASE("a text that is not a JSON object is refused") {
  for (const auto* text : {"", "[]", "{", "null", "Usage: nc"}) {
    INFO(text);
    CHECK(report::parse_status(text).has_error());
    CHECK(report::parse_last_cycle(text).has_error());
  }
}

}  // namespace
