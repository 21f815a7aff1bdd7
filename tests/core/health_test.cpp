#include "vtmirror/core/health.hpp"
#include "vtmirror/core/problem.hpp"

#include "support/every.hpp"
#include "support/utc.hpp"

#include <doctest/doctest.h>

#include <utility>

using namespace vtmirror;
using namespace std::chrono_literals;
using core::Cause;
using core::FailureKind;
using core::Problem;
using test::Utc;

namespace {

base::Time at(const char* text) { return base::parse_time(text).value(); }
base::Date day(const char* text) { return base::parse_date(text).value(); }

core::Failure failed(FailureKind kind, std::string subject, std::string detail) {
  return {kind, {.subject = std::move(subject), .detail = std::move(detail)}};
}

/// A cycle that could not try anything.
core::HealthFacts::End failed_with(base::Errc code, std::string detail = {}) {
  return {.failure = core::Failure{.cause = {.code = code, .detail = std::move(detail)}}};
}

core::Listed delta(const char* date) { return {core::Kind::delta, std::string("v1/delta/") + date, day(date), 1}; }

/// A mirror since the 10th, whose cycle of this morning was complete.
struct Mirror {
  std::vector<Problem> judge(const char* now, bool gave_up = false) {
    auto changes = core::compare(problems, core::judge(facts, {}, Utc(), gave_up, problems, at(now)), at(now));
    problems = changes.now;
    last = std::move(changes);
    return problems;
  }
  std::string codes(const char* now, bool gave_up = false) {
    std::string text;
    for (const auto& problem : judge(now, gave_up)) text += (text.empty() ? "" : " ") + std::string(name(problem.code));
    return text;
  }
  void fail(std::vector<core::Failure> failures) {
    facts.end = {.complete = false, .tried = true, .failure = failed(FailureKind::other, "", "the first of them")};
    facts.failures = std::move(failures);
  }

  core::HealthFacts facts{.end = core::HealthFacts::End{true, true},
                          .files = {.listed = {delta("2026-11-17"), delta("2026-11-18")},
                                    .listed_at = at("2026-11-18T08:00:00Z"),
                                    .first_cycle = at("2026-11-10T12:00:00Z")}};
  std::vector<Problem> problems;
  core::ProblemChanges last;
};

}  // namespace

TEST_CASE("after a complete cycle nothing is wrong") { CHECK(Mirror().codes("2026-11-18T08:02:00Z") == ""); }

TEST_CASE("each cause is one problem, and a file's failure is reported by its cause alone") {
  const auto code = [](core::Failure failure) {
    Mirror mirror;
    mirror.fail({std::move(failure)});
    return mirror.codes("2026-11-18T08:02:00Z");
  };
  CHECK(code(failed(FailureKind::no_space, "a", "it needs 2 GB")) == "low_space");
  CHECK(code(failed(FailureKind::damaged, "a", "member 1 is wrong")) == "quarantined_file");
  CHECK(code(failed(FailureKind::lost, "a", "it is gone")) == "damaged_file");
  CHECK(code(failed(FailureKind::refused_entry, "../a", "it leaves the mirror")) == "refused_entry");
  CHECK(code(failed(FailureKind::other, "a", "timed_out")) == "missing_files");
  CHECK(code(failed(FailureKind::other, "", "io: manifest.json")) == "cycle_failed");
}

TEST_CASE("every kind of failure is a problem, of a file and of the cycle itself") {
  for (const auto& kind : test::every<FailureKind>()) {
    for (const auto* subject : {"v1/a.zip", ""}) {
      CAPTURE(kind.word);
      CAPTURE(subject);
      Mirror mirror;
      mirror.fail({failed(kind.value, subject, "reason")});
      const auto problems = mirror.judge("2026-11-18T08:02:00Z");
      REQUIRE(problems.size() == 1);
      CHECK(problems[0].code == core::problem_of(mirror.facts.failures[0]));
    }
  }
}

TEST_CASE("consumers that are behind are a problem until they have loaded, and one more is reported") {
  Mirror mirror;
  mirror.facts.behind = {{"warehouse", at("2026-11-10T08:00:00Z"), 7}};
  CHECK(mirror.codes("2026-11-18T08:02:00Z") == "consumer_behind");
  CHECK(mirror.problems[0].cause ==
        Cause{.subject = "warehouse", .fields = {{"waiting", std::int64_t{7}}, {"oldest", "2026-11-10T08:00:00Z"}}});
  mirror.facts.behind.push_back({"reports", at("2026-11-09T08:00:00Z"), 8});
  CHECK(mirror.codes("2026-11-18T08:03:00Z") == "consumer_behind");
  REQUIRE(mirror.last.worse.size() == 1);
  CHECK(mirror.problems[0].cause.subject == "reports");
  mirror.facts.behind.clear();
  CHECK(mirror.codes("2026-11-18T08:04:00Z") == "");
}

TEST_CASE("a failing channel is a problem until it works again, and is reported again when another one fails too") {
  Mirror mirror;
  mirror.facts.failing = {
      {"mail to ops@fleet.example", at("2026-11-17T07:00:00Z"), 1, {base::Errc::forbidden, "", "exit status 77"}}};
  CHECK(mirror.codes("2026-11-18T08:02:00Z") == "channel_failing");
  CHECK(mirror.problems[0].since == at("2026-11-17T07:00:00Z"));
  CHECK(mirror.problems[0].cause ==
        Cause{.code = base::Errc::forbidden,
              .subject = "mail to ops@fleet.example",
              .detail = "exit status 77",
              .fields = {{"waiting", std::int64_t{1}}, {"oldest", "2026-11-17T07:00:00Z"}}});
  mirror.facts.failing.push_back({"webhook", at("2026-11-17T06:00:00Z"), 3, {base::Errc::forbidden, "", "", 404}});
  CHECK(mirror.codes("2026-11-18T08:03:00Z") == "channel_failing");
  REQUIRE(mirror.last.worse.size() == 1);
  CHECK(mirror.problems[0].cause ==
        Cause{.code = base::Errc::forbidden,
              .subject = "webhook",
              .status = 404,
              .fields = {{"waiting", std::int64_t{3}}, {"oldest", "2026-11-17T06:00:00Z"}, {"more", std::int64_t{1}}}});
  mirror.facts.failing.clear();
  CHECK(mirror.codes("2026-11-18T08:04:00Z") == "");
  CHECK(mirror.last.over.size() == 1);
}

TEST_CASE("while it is not known whether a correction helps, what a cycle failed with neither begins nor ends") {
  Mirror mirror;
  mirror.facts.end = failed_with(base::Errc::unreachable, "the service");
  mirror.facts.corrected = true;
  CHECK(mirror.codes("2026-11-18T08:02:00Z") == "");
  mirror.facts.corrected = false;
  CHECK(mirror.codes("2026-11-18T08:03:00Z") == "cycle_failed");
  mirror.facts.corrected = true;
  mirror.facts.end = core::HealthFacts::End{true, true};
  CHECK(mirror.codes("2026-11-18T08:04:00Z") == "cycle_failed");
  CHECK(mirror.last.began.empty());
  mirror.facts.corrected = false;
  CHECK(mirror.codes("2026-11-18T08:05:00Z") == "");
}

TEST_CASE("refused settings are a problem until others are taken") {
  Mirror mirror;
  mirror.facts.settings_refused = core::Cause{.code = base::Errc::config, .subject = "vtmirror.toml"};
  CHECK(mirror.codes("2026-11-18T08:02:00Z") == "settings_refused");
  CHECK(mirror.codes("2026-11-18T08:03:00Z") == "settings_refused");
  CHECK(mirror.last.began.empty());
  mirror.facts.settings_refused.reset();
  CHECK(mirror.codes("2026-11-18T08:04:00Z") == "");
}

TEST_CASE("a disk that will soon be full is a problem, unless it is too full already") {
  Mirror mirror;
  mirror.facts.full_soon = core::Cause{.fields = {{"full_on", "2026-12-06"}}};
  CHECK(mirror.codes("2026-11-18T08:02:00Z") == "disk_forecast");
  CHECK(core::severity(mirror.problems[0].code) == core::Severity::warning);
  mirror.facts.end = core::HealthFacts::End{false, true};
  mirror.facts.failures = {{core::FailureKind::no_space, {.code = base::Errc::no_space, .subject = "v1/a.zip"}}};
  CHECK(mirror.codes("2026-11-18T08:03:00Z") == "low_space");
  mirror.facts.end = core::HealthFacts::End{true, true};
  mirror.facts.failures.clear();
  mirror.facts.full_soon.reset();
  CHECK(mirror.codes("2026-11-18T08:04:00Z") == "");
}

TEST_CASE("what a recovery could not repair is a problem, with the first file and the number of the others") {
  Mirror mirror;
  mirror.facts.unrepaired = {core::Cause{.code = base::Errc::io, .subject = "v1/a.zip", .detail = "not permitted"},
                             core::Cause{.code = base::Errc::io, .subject = "v1/b.zip", .detail = "not permitted"}};
  CHECK(mirror.codes("2026-11-18T08:02:00Z") == "repair_failed");
  CHECK(mirror.problems[0].files == 2);
  CHECK(mirror.problems[0].cause.subject == "v1/a.zip");
  CHECK(core::number(mirror.problems[0].cause, "more") == 1);
  mirror.facts.unrepaired.clear();
  CHECK(mirror.codes("2026-11-18T08:03:00Z") == "");
}

TEST_CASE("a failure without a known cause is still reported") {
  Mirror mirror;
  mirror.facts.end = failed_with(base::Errc::forbidden, "the issuer refuses");
  CHECK(mirror.codes("2026-11-18T08:02:00Z") == "cycle_failed");
  CHECK(mirror.problems[0].cause == Cause{.code = base::Errc::forbidden, .detail = "the issuer refuses"});
  mirror.facts.end = {false, true, failed(FailureKind::other, "", "of an older program")};
  CHECK(mirror.codes("2026-11-18T08:02:00Z") == "cycle_failed");
  mirror.facts.end = failed_with(base::Errc::no_space, "the catalogue cannot be written");
  CHECK(mirror.codes("2026-11-18T08:02:00Z") == "low_space");
  CHECK(mirror.problems[0].cause == Cause{.code = base::Errc::no_space, .detail = "the catalogue cannot be written"});
  mirror.facts.end = core::HealthFacts::End{};
  CHECK(mirror.codes("2026-11-18T08:02:00Z") == "cycle_failed");
  CHECK(mirror.problems[0].cause == Cause{});
}

TEST_CASE("a cycle that cannot try leaves what is wrong with files as it was") {
  Mirror mirror;
  mirror.fail({failed(FailureKind::other, "a", "timed_out")});
  mirror.judge("2026-11-18T08:02:00Z");
  mirror.facts.end = failed_with(base::Errc::unreachable, "the service");
  CHECK(mirror.codes("2026-11-18T08:12:00Z") == "missing_files cycle_failed");
  CHECK(mirror.last.over.empty());
}

TEST_CASE("a file in the quarantine is that while it is listed, whatever the next attempt meets") {
  Mirror mirror;
  const auto name = delta("2026-11-18").name;
  mirror.facts.files.quarantined = {failed(FailureKind::damaged, name, "wrong twice"),
                                    failed(FailureKind::damaged, "left", "long ago")};
  mirror.fail({failed(FailureKind::other, name, "timed_out")});
  CHECK(mirror.codes("2026-11-18T08:02:00Z") == "quarantined_file");
  CHECK(mirror.problems[0].cause == Cause{.subject = name, .detail = "wrong twice"});
  mirror.facts.files.listed.pop_back();
  mirror.facts.failures.clear();
  mirror.facts.end = {true, true};
  CHECK(mirror.codes("2026-11-18T08:12:00Z") == "");
}

TEST_CASE("an entry that the newest listing has refused is a problem, also before the cycle has ended") {
  Mirror mirror;
  mirror.facts.files.refused = {failed(FailureKind::refused_entry, "v1/b.zip", "its size is no number")};
  CHECK(mirror.codes("2026-11-18T08:02:00Z") == "refused_entry");
  mirror.fail({failed(FailureKind::refused_entry, "v1/b.zip", "its size is no number")});
  CHECK(mirror.codes("2026-11-18T08:03:00Z") == "refused_entry");
  // Nobody could know from the refusal that the held file is lost.
  mirror.fail({failed(FailureKind::refused_entry, "v1/b.zip", "its size is no number"),
               failed(FailureKind::lost, "v1/b.zip", "it is gone")});
  CHECK(mirror.codes("2026-11-18T08:04:00Z") == "damaged_file refused_entry");
  CHECK(mirror.problems[0].files == 1);
}

TEST_CASE("an empty listing stays a problem until a listing can be used, whatever else fails meanwhile") {
  Mirror mirror;
  mirror.facts.end = failed_with(base::Errc::empty_listing, "");
  CHECK(mirror.codes("2026-11-18T08:02:00Z") == "empty_listing");
  mirror.facts.end = failed_with(base::Errc::http_status, "HTTP 502");
  CHECK(mirror.codes("2026-11-18T08:12:00Z") == "cycle_failed empty_listing");
  mirror.facts.end = failed_with(base::Errc::empty_listing, "");
  CHECK(mirror.codes("2026-11-18T08:22:00Z") == "empty_listing");
  CHECK(mirror.last.began.empty());
  mirror.fail({failed(FailureKind::other, "v1/a.zip", "timed_out")});
  CHECK(mirror.codes("2026-11-18T08:32:00Z") == "missing_files");
}

TEST_CASE("cycles that are cut off are a problem when there are more than three") {
  Mirror mirror;
  mirror.facts.cuts = 3;
  CHECK(mirror.codes("2026-11-18T08:02:00Z") == "");
  mirror.facts.cuts = 4;
  CHECK(mirror.codes("2026-11-18T08:02:00Z") == "cycle_failed");
  CHECK(mirror.problems[0].cause == Cause{.fields = {{"cuts", std::int64_t{4}}}});
}

TEST_CASE("a late delta stays a problem over the morning until a delta is listed") {
  Mirror mirror;
  mirror.facts.files.listed.pop_back();
  mirror.facts.files.listed_at = at("2026-11-18T13:55:00Z");
  CHECK(mirror.codes("2026-11-18T13:56:00Z", false) == "");
  CHECK(mirror.codes("2026-11-18T13:57:00Z", true) == "late_delta");
  CHECK(mirror.last.began.size() == 1);
  CHECK(mirror.problems[0].cause == Cause{.subject = "2026-11-18"});
  CHECK(mirror.codes("2026-11-19T08:00:00Z") == "late_delta");
  CHECK(mirror.codes("2026-11-19T13:57:00Z", true) == "late_delta");
  CHECK(mirror.last.began.empty());
  CHECK(mirror.problems[0].since == at("2026-11-18T13:57:00Z"));
  mirror.facts.files.listed.push_back(delta("2026-11-20"));
  mirror.facts.files.listed_at = at("2026-11-20T08:02:00Z");
  CHECK(mirror.codes("2026-11-20T08:03:00Z") == "");
  CHECK(mirror.last.over.size() == 1);
}

TEST_CASE("a delta that has left the listing with its cycle is not late, nor one whose data a new bulk file has") {
  Mirror mirror;
  mirror.facts.files.held = std::exchange(mirror.facts.files.listed, {});
  mirror.facts.files.listed_at = at("2026-11-19T08:02:00Z");
  CHECK(mirror.codes("2026-11-19T08:03:00Z") == "");
  mirror.facts.files.held.pop_back();
  CHECK(mirror.codes("2026-11-19T08:03:00Z") == "late_delta");
  mirror.facts.files.listed = {{core::Kind::bulk, "v1/bulk", day("2026-11-18"), 1}};
  CHECK(mirror.codes("2026-11-19T08:13:00Z") == "late_delta");
  mirror.facts.files.listed = {{core::Kind::bulk, "v1/bulk", day("2026-11-19"), 1}};
  CHECK(mirror.codes("2026-11-19T08:23:00Z") == "");
}

TEST_CASE("a failing cycle does not end the lateness of a delta") {
  Mirror mirror;
  mirror.facts.files.listed.pop_back();
  mirror.judge("2026-11-18T14:00:00Z", true);
  mirror.facts.end = failed_with(base::Errc::unreachable);
  CHECK(mirror.codes("2026-11-19T08:05:00Z") == "cycle_failed late_delta");
}

TEST_CASE("with one try a day, a late delta is reported on the next day") {
  Mirror mirror;
  mirror.facts.files.listed.pop_back();
  CHECK(mirror.codes("2026-11-18T08:10:00Z") == "");
  mirror.facts.files.listed_at = at("2026-11-19T08:10:00Z");
  CHECK(mirror.codes("2026-11-19T08:10:00Z") == "late_delta");
  CHECK(mirror.problems[0].cause == Cause{.subject = "2026-11-18"});
  CHECK(mirror.problems[0].since == at("2026-11-18T14:00:00Z"));
}

TEST_CASE("a mirror that is made before the day's time does not call the day before late") {
  Mirror mirror;
  mirror.facts.files.listed.clear();
  mirror.facts.files.first_cycle = mirror.facts.files.listed_at = at("2026-11-18T07:00:00Z");
  CHECK(mirror.codes("2026-11-18T07:01:00Z", true) == "");
  mirror.facts.files.listed_at = at("2026-11-18T13:55:00Z");
  CHECK(mirror.codes("2026-11-18T14:00:00Z", true) == "late_delta");
}

TEST_CASE(
    "a problem is reported again when it affects more files than ever before, and not when it returns to that number") {
  Mirror mirror;
  const auto missing = [](int files) {
    return std::vector<core::Failure>(static_cast<std::size_t>(files), failed(FailureKind::other, "a", "timed_out"));
  };
  mirror.fail(missing(1));
  mirror.judge("2026-11-18T08:00:00Z");
  mirror.fail(missing(3));
  mirror.judge("2026-11-18T09:00:00Z");
  CHECK(mirror.last.began.empty());
  REQUIRE(mirror.last.worse.size() == 1);
  CHECK(core::number(mirror.last.worse[0].cause, "more") == 2);
  CHECK(mirror.last.worse[0].since == at("2026-11-18T08:00:00Z"));
  mirror.fail(missing(2));
  mirror.judge("2026-11-18T10:00:00Z");
  CHECK(mirror.last.worse.empty());
  CHECK(core::number(mirror.problems[0].cause, "more") == 1);
  mirror.fail(missing(3));
  mirror.judge("2026-11-18T11:00:00Z");
  CHECK(mirror.last.worse.empty());
}

TEST_CASE("a clock that was set back leaves no problem in the future") {
  Mirror mirror;
  mirror.problems = {{core::ProblemCode::cycle_failed, at("2027-01-01T00:00:00Z")}};
  mirror.facts.end = failed_with(base::Errc::io);
  CHECK(mirror.judge("2026-11-18T08:00:00Z")[0].since == at("2026-11-18T08:00:00Z"));
}

TEST_CASE(
    "an empty listing is a problem of its own, beside the files of the cycle before, until a cycle gets further") {
  Mirror mirror;
  mirror.facts.end = failed_with(base::Errc::empty_listing, "the service lists no file");
  CHECK(mirror.codes("2026-11-18T09:00:00Z") == "empty_listing");
  CHECK(mirror.problems[0].cause.detail == "the service lists no file");
  mirror.facts.failures = {failed(FailureKind::other, "v1/a.zip", "no byte")};
  CHECK(mirror.codes("2026-11-18T09:10:00Z") == "missing_files empty_listing");
  CHECK(mirror.problems[1].since == at("2026-11-18T09:00:00Z"));
  mirror.facts.end = failed_with(base::Errc::timed_out);
  CHECK(mirror.codes("2026-11-18T09:20:00Z") == "missing_files cycle_failed empty_listing");
  mirror.facts.end = core::HealthFacts::End{true, true};
  mirror.facts.failures.clear();
  CHECK(mirror.codes("2026-11-18T09:30:00Z").empty());
}

TEST_CASE("what a reading found is a problem until the file is whole, beside files that a cycle could not find") {
  Mirror mirror;
  mirror.facts.files.damaged = {failed(FailureKind::lost, "v1/bulk", "member a: wrong checksum")};
  CHECK(mirror.codes("2026-11-18T09:00:00Z") == "damaged_file");
  CHECK(mirror.last.began.size() == 1);
  CHECK(mirror.problems.front().cause.subject == "v1/bulk");
  // The cycle that follows finds the same file, and another one.
  mirror.fail({failed(FailureKind::lost, "v1/bulk", "it is damaged"), failed(FailureKind::lost, "v1/delta", "gone")});
  CHECK(mirror.codes("2026-11-18T09:10:00Z") == "damaged_file");
  CHECK(mirror.problems.front().files == 2);
  CHECK(mirror.problems.front().cause.detail == "member a: wrong checksum");
  mirror.facts.corrected = true;
  CHECK(mirror.codes("2026-11-18T09:20:00Z") == "damaged_file");
  mirror.facts.corrected = false;
  mirror.facts.files.damaged.clear();
  mirror.fail({});
  mirror.facts.end = core::HealthFacts::End{true, true};
  CHECK(mirror.codes("2026-11-18T09:30:00Z") == "");
  CHECK(mirror.last.over.size() == 1);
}
