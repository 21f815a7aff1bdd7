#include "vtmirror/report/sentence.hpp"

#include "vtmirror/core/chain_failures.hpp"
#include "vtmirror/core/hindrance.hpp"
#include "vtmirror/core/history.hpp"
#include "vtmirror/core/notice.hpp"
#include "vtmirror/core/space.hpp"
#include "vtmirror/report/advice.hpp"
#include "vtmirror/report/status.hpp"

#include "support/every.hpp"

#include <doctest/doctest.h>

#include <set>
#include <string>
#include <utility>
#include <vector>

namespace vtmirror::report {
namespace {

using base::Errc;
using core::Failure;
using core::FailureKind;
using core::Problem;
using core::ProblemCode;

base::Time at(int second) { return base::Time{std::chrono::seconds{second}}; }

TEST_CASE("a failure names its subject, and a lack of space and a refused entry say that they are that") {
  const std::vector<std::pair<Failure, std::string>> rows{
      {{FailureKind::other, {.code = Errc::forbidden, .detail = "HTTP 403"}}, "HTTP 403"},
      {{FailureKind::other, {.code = Errc::timed_out, .detail = "no byte"}}, "no byte"},
      {{FailureKind::damaged, {.code = Errc::integrity, .subject = "a.zip", .detail = "cut"}}, "a.zip: cut"},
      {{FailureKind::no_space, {.code = Errc::no_space, .subject = "a.zip", .detail = "disk full"}},
       "a.zip: disk full"},
      {{FailureKind::refused_entry, {.subject = "delta[3]", .detail = "its size is negative"}},
       "entry delta[3] of the listing is refused: its size is negative"},
      {{FailureKind::quarantined, {.code = Errc::integrity, .subject = "v1/c.zip", .detail = "too short"}},
       "v1/c.zip is quarantined; the next try is tomorrow: too short"},
      {{FailureKind::other, {.code = Errc::cancelled, .subject = "v1/d.zip"}}, "v1/d.zip: cancelled"},
      {core::stopped(), "stopped; the next cycle resumes where it stopped"}};
  for (const auto& [failure, words] : rows) CHECK(sentence(failure) == words);
  Failure no_space{FailureKind::no_space, {.code = Errc::no_space, .subject = "a.zip"}};
  no_space.cause.fields = {{"needed", std::int64_t{60}}, {"free", std::int64_t{39}}, {"reserve", std::int64_t{1000}}};
  CHECK(sentence(no_space) ==
        "a.zip does not fit: it needs 60 B, and 39 B are free beside the reserve of 1.00 KB: 21 B short");
  CHECK(sentence(std::optional<Failure>()).empty());
}

TEST_CASE("days that no listing said anything of are named in the sentence, and the next bulk file is the remedy") {
  const auto day = [](unsigned number) { return base::Date(std::chrono::year(2026) / 11 / std::chrono::day(number)); };
  const core::Chain chain{.unaccounted = {day(16), day(17), day(19)}};
  const auto cause = core::failures_of(chain).front().cause;
  const auto* words = "the chain is not complete: no listing covered 16, 17 and 19 Nov";
  CHECK(sentence(Failure{FailureKind::other, cause}) == words);
  Problem problem{ProblemCode::missing_files, at(0), cause};
  CHECK(sentence(problem) == words);
  CHECK(remedy(problem).starts_with("no action needed: the next bulk file"));
}

TEST_CASE("the end of a rotation of the secret is a sentence with its cause, and none began without one") {
  const core::Cause cause{.code = Errc::unreachable, .detail = "nobody was there"};
  for (const auto& each : test::every<core::RotationOutcome>()) {
    const auto outcome = each.value;
    CAPTURE(each.word);
    const auto says = sentence(core::RotationEnd{outcome, cause});
    const bool has_cause = says.find("nobody was there") != says.npos;
    CHECK(says.empty() == (outcome == core::RotationOutcome::none));
    CHECK(has_cause == (outcome == core::RotationOutcome::failed || outcome == core::RotationOutcome::postponed ||
                        outcome == core::RotationOutcome::older));
  }
  CHECK(sentence(core::RotationEnd{core::RotationOutcome::older, {.detail = "as it was recorded"}}) ==
        "as it was recorded");
}

TEST_CASE("refused settings say that the old ones are in use, and what a restart would do") {
  Problem problem{ProblemCode::settings_refused, at(0)};
  problem.cause = {.code = Errc::config, .subject = "/etc/v.toml", .detail = "line 3: many is no number"};
  CHECK(sentence(problem) ==
        "the new settings were refused (/etc/v.toml): line 3: many is no number; the old settings stay in use; a "
        "restart would fail");
  problem.cause = {.code = Errc::config, .subject = "/etc/v.toml"};
  problem.cause.fields = {{"mistake_1", "line 3: schedule.at: \"25:99\" is no time"},
                          {"mistake_2", "line 4: schedule.splya: unknown key"}};
  CHECK(sentence(problem) ==
        "the new settings were refused (/etc/v.toml): line 3: schedule.at: \"25:99\" is no time; line 4: "
        "schedule.splya: unknown key; the old settings stay in use; a restart would fail");
  problem.cause.fields = {{"restart", "control.socket"}};
  CHECK(sentence(problem) ==
        "the new settings were refused (/etc/v.toml): a running daemon cannot change control.socket: restart it; the "
        "old settings stay in use");
  problem.cause.fields = {{"restart_1", "control.socket"}, {"restart_2", "control.web"}};
  CHECK(sentence(problem) ==
        "the new settings were refused (/etc/v.toml): a running daemon cannot change control.socket, control.web: "
        "restart it; the old settings stay in use");
}

TEST_CASE("a file that could not be repaired is named with the reason") {
  const Problem problem{ProblemCode::repair_failed,
                        at(0),
                        {.code = Errc::io, .subject = "v1/a.zip", .detail = "v1/a.zip: not permitted"}};
  CHECK(sentence(problem) == "v1/a.zip could not be repaired after the last process ended: not permitted");
}

TEST_CASE("a disk that will be full is named with the day, the growth and the setting that helps") {
  Problem problem{ProblemCode::disk_forecast, at(0)};
  problem.cause.fields = {{"full_on", "2026-12-06"},
                          {"left", std::int64_t{4}},
                          {"free", std::int64_t{50'000'000'000}},
                          {"reserve", std::int64_t{2'000'000'000}},
                          {"chain_bytes", std::int64_t{38'400'000'000}},
                          {"chain_days", std::int64_t{7}}};
  CHECK(sentence(problem) ==
        "the disk will be full about 2026-12-06, in 4 days, at the present growth of 38.4 GB every 7 days: 50.0 GB are "
        "free, of which mirror.reserve is 2.00 GB");
  CHECK(remedy(problem) == "make room under mirror.directory, or lower mirror.reserve");
  problem.cause.fields.push_back({"keep", std::int64_t{3}});
  problem.cause.fields.push_back({"frees", std::int64_t{38'000'000'000}});
  CHECK(sentence(problem).ends_with("; mirror.keep_cycles = 3 would free 38.0 GB"));
  CHECK(remedy(problem).find("set mirror.keep_cycles") != std::string::npos);
}

TEST_CASE("a directory that cannot be read, and something foreign in the place of a text, are named with advice") {
  Problem problem{ProblemCode::repair_failed, at(0),
                  core::unread_directory("v1/a", "v1/a: cannot open: not permitted")};
  CHECK(
      sentence(problem) ==
      "the directory v1/a cannot be read: cannot open: not permitted; its files count as they were last known, none is "
      "published there, and no file is pruned");
  CHECK(remedy(problem).find("access to that directory") != std::string_view::npos);
  problem.cause = core::obstructed("current", "it is a directory");
  CHECK(
      sentence(problem) ==
      "current cannot be replaced: it is a directory that vtmirror did not make, and stays as it is; notices about new "
      "files wait until it is gone");
  CHECK(remedy(problem).find("move it out") != std::string_view::npos);
}

TEST_CASE("a file in whose check the process ended says how often") {
  CHECK(reason(core::deadly_check(3)) ==
        "the program ended 3 times while it checked this file, perhaps for lack of memory");
}

TEST_CASE("an empty listing says what the service listed, and that nothing was changed") {
  for (const auto* detail : {"the service lists no file", "the service lists no bulk file"}) {
    const Problem problem{ProblemCode::empty_listing, at(0), {.code = Errc::empty_listing, .detail = detail}};
    CHECK(sentence(problem) == std::string(detail) + "; the mirror was left as it is");
  }
}

TEST_CASE("what version 0.1.0 stored reads as it did") {
  CHECK(sentence(Failure{FailureKind::other, {.detail = "entry delta[3] of the listing is refused: it is cut"}}) ==
        "entry delta[3] of the listing is refused: it is cut");
  CHECK(
      sentence(Failure{FailureKind::other, {.code = Errc::no_space, .detail = "b.zip does not fit: it needs 5 GB"}}) ==
      "b.zip does not fit: it needs 5 GB");
  CHECK(reason(core::Cause{.subject = "v1/b.zip", .detail = "it needs 5 GB"}) == "it needs 5 GB");
  const auto words = [](ProblemCode code, core::Cause cause) { return sentence(Problem{code, {}, std::move(cause)}); };
  CHECK(words(ProblemCode::key_revoked, {.detail = "the service refuses the API key: FB-03"}) ==
        "the service refuses the API key: FB-03");
  CHECK(words(ProblemCode::late_delta, {.detail = "the delta of 2026-11-18 was not listed in time"}) ==
        "the delta of 2026-11-18 was not listed in time");
  CHECK(words(ProblemCode::low_space, {.detail = "v1/b.zip: it needs 5 GB (and 1 more)"}) ==
        "v1/b.zip: it needs 5 GB (and 1 more)");
  CHECK(words(ProblemCode::missing_files, {.code = Errc::timed_out, .subject = "v1/a.zip", .detail = "no byte"}) ==
        "v1/a.zip: no byte");
}

TEST_CASE("a path that the text begins with is said once") {
  const core::Cause cut{.code = Errc::integrity, .subject = "v1/a.zip", .detail = "v1/a.zip: member 1: CRC error"};
  CHECK(reason(cut) == "member 1: CRC error");
  CHECK(sentence(cut) == "v1/a.zip: member 1: CRC error");
  CHECK(reason(base::Error{Errc::integrity, cut.detail}, cut.subject) == "member 1: CRC error");
  CHECK(reason(base::Error{Errc::integrity, cut.detail}, "v1/b.zip") == cut.detail);
}

TEST_CASE("a file of the service has its short name in a sentence, and its path where a program reads it") {
  const std::string name = "v1/public/delta/year=2026/month=11/day=18/delta-light-vehicle_18-11-2026.zip";
  const core::Cause cut{.code = Errc::integrity, .subject = name, .detail = name + ": member 1: CRC error"};
  CHECK(sentence(cut) == "delta 18 Nov: member 1: CRC error");
  CHECK(sentence(cut, Names::paths) == name + ": member 1: CRC error");
  CHECK(sentence(Failure{FailureKind::quarantined, cut}) ==
        "delta 18 Nov is quarantined; the next try is tomorrow: member 1: CRC error");
  CHECK(sentence(Failure{FailureKind::refused_entry, cut}, Names::paths).starts_with("entry " + name));
  const Problem problem{ProblemCode::quarantined_file, at(0), cut};
  CHECK(sentence(problem) == "delta 18 Nov is damaged (member 1: CRC error), downloaded twice");
  const auto notice = problem_notice(problem, core::Stage::began, at(1));
  CHECK(notice.message == sentence(problem));
  CHECK(notice.fields.front() == core::NoticeField{"reason", sentence(problem, Names::paths)});
  // Of the whole cycle, or stored by version 0.1.0.
  const Failure removal{FailureKind::other, {.code = Errc::io, .detail = name + ": cannot remove: not permitted"}};
  CHECK(sentence(removal) == "delta 18 Nov: cannot remove: not permitted");
  CHECK(sentence(removal, Names::paths) == removal.cause.detail);
  CHECK(sentence(Failure{FailureKind::other, {.detail = name + " does not fit: it needs 5 GB"}}) ==
        "delta 18 Nov does not fit: it needs 5 GB");
}

Problem refused_secret(std::string detail, std::string service_code) {
  Problem problem{ProblemCode::secret_refused, at(0)};
  problem.cause = {.subject = "client secret", .detail = std::move(detail)};
  if (!service_code.empty()) problem.cause.fields = {{"service_code", std::move(service_code)}};
  return problem;
}

TEST_CASE("a mistyped secret is not the support's business, and an expired one is") {
  const auto wrong = refused_secret("the client secret is wrong (AADSTS7000215)", "AADSTS7000215");
  CHECK(sentence(wrong) == "the client secret is wrong (AADSTS7000215)");
  CHECK(remedy(wrong) ==
        "check that it is the secret's value and not its ID, then run `vtmirror secret set`; no support request is "
        "needed; the daemon asks again once it has reloaded its settings");
  const auto expired = refused_secret("the client secret has expired (AADSTS7000222)", "AADSTS7000222");
  CHECK(
      remedy(expired).starts_with("ask the service's support for a new secret (only a support request helps), then run "
                                  "`vtmirror secret set`; the"));
  const auto unknown = refused_secret("HTTP 401 invalid_client", "");
  CHECK(sentence(unknown) == "HTTP 401 invalid_client");
  CHECK(remedy(unknown).starts_with("check credentials.client_id, and that the secret is its value and not its ID"));
  CHECK(remedy(unknown).find("if both are right") != std::string::npos);
}

TEST_CASE("a secret that is refused after its day has expired, whatever the issuer calls it") {
  auto problem = refused_secret("the client secret is wrong (AADSTS7000215)", "AADSTS7000215");
  problem.cause.fields.push_back({"expires_on", "2026-11-15"});
  CHECK(sentence(problem).ends_with("; the secret's expiry date was 2026-11-15"));
  CHECK(remedy(problem).starts_with("ask the service's support for a new secret"));
}

TEST_CASE("a refused API key that has worked was revoked, and one that never did may be mistyped") {
  Problem problem{ProblemCode::key_revoked, at(0)};
  problem.cause = {.subject = "API key", .detail = "the service does not know the API key: HTTP 403 FB-03"};
  CHECK(sentence(problem) == "the service does not know the API key: HTTP 403 FB-03; it was never accepted here");
  CHECK(remedy(problem).find("holds the whole key as it was issued") != std::string::npos);
  problem.since = base::parse_time("2026-11-23T08:00:00Z").value();
  problem.cause.fields = {{"last_used", "2026-08-01"}};
  CHECK(sentence(problem).ends_with("; it was last accepted on 2026-08-01"));
  CHECK(remedy(problem).starts_with("the service revokes a key that is not used for 90 days: ask its support"));
  for (const auto* day : {"2026-11-23", "2026-08-26"}) {
    problem.cause.fields = {{"last_used", day}};
    CHECK(remedy(problem).starts_with("the API key was probably revoked or replaced: store the new key"));
  }
  problem.cause.fields = {{"last_used", "2026-08-25"}};
  CHECK(remedy(problem).starts_with("the service revokes a key"));
}

TEST_CASE("what the end of a cycle calls for is advised in the same words by the status and by sync") {
  using base::Error;
  const std::string subject = "listing request";
  for (const auto& error :
       {Error{.code = Errc::unreachable, .detail = "listing request to a.example failed: refused", .subject = subject},
        Error{.code = Errc::http_status, .detail = "b", .status = 404, .subject = "token request"},
        Error{.code = Errc::empty_listing, .detail = "the service lists no file"},
        Error{.code = Errc::no_space, .detail = "the catalogue cannot be written"}}) {
    CAPTURE(error.detail);
    const auto cause = core::cause_of(error);
    const auto code =
        error.code == Errc::no_space ? ProblemCode::low_space : core::problem_of(core::Failure{.cause = cause});
    const Problem problem{code, at(0), cause};
    CHECK(remedy(problem) == advice(cause));
    CHECK(problem_of(error, {problem})->code == problem.code);
    CHECK(problem_of(Error{.code = Errc::locked, .detail = error.detail}, {problem}) == nullptr);
  }
  const Problem refused{ProblemCode::key_revoked, at(0)};
  CHECK(problem_of(Error{.code = Errc::forbidden}, {refused})->code == ProblemCode::key_revoked);
}

TEST_CASE("the error of a cycle is its own problem, although a file's problem with the same code stands") {
  const base::Error error{.code = Errc::rate_limited, .detail = "b", .status = 503, .subject = "listing request"};
  const Problem of_file{ProblemCode::missing_files,
                        at(0),
                        {.code = Errc::rate_limited, .subject = "a.zip", .detail = "a", .status = 503}};
  const Problem of_listing{ProblemCode::cycle_failed, at(0), core::cause_of(error)};
  CHECK(problem_of(error, {of_file, of_listing})->code == ProblemCode::cycle_failed);
  CHECK(problem_of(error, {of_file}) == nullptr);
  const base::Error full{.code = Errc::no_space, .detail = "the catalogue cannot be written"};
  const Problem full_for_file{
      ProblemCode::low_space, at(0), {.code = Errc::no_space, .subject = "a.zip", .detail = "cannot write at 4096"}};
  const Problem does_not_fit{ProblemCode::low_space, at(0),
                             core::cause_of(core::does_not_fit({.needs = 9}, 1), "a.zip")};
  CHECK(problem_of(full, {full_for_file}) == nullptr);
  CHECK(problem_of(full, {does_not_fit}) == nullptr);
  auto of_token = of_listing;
  of_token.cause.fields = {{"request", "token request"}};
  CHECK(problem_of(error, {of_token}) == nullptr);
}

TEST_CASE("a problem that a file ended is over because that file was published") {
  const std::string name = "v1/public/delta/year=2026/month=11/day=18/delta-light-vehicle_18-11-2026.zip";
  Problem problem{ProblemCode::late_delta, at(0), {.subject = "2026-11-18"}};
  CHECK(resolved(problem) == "resolved: delta 18 Nov was not listed in time");
  problem.cause.fields = {{"published", name}};
  CHECK(resolved(problem) == "resolved: delta 18 Nov was published (it was late)");
  CHECK(resolved({ProblemCode::late_delta, at(0), {.subject = "2026-11-18", .fields = {{"listed", name}}}}) ==
        "resolved: delta 18 Nov was listed");
  CHECK(problem_notice(problem, core::Stage::over, at(1)).message == resolved(problem));
  CHECK(resolved(Problem{ProblemCode::secret_refused, at(0)}) == "resolved: the client secret is accepted");
}

TEST_CASE("refused settings are over because the daemon uses those of the file, and their advice follows the reason") {
  Problem problem{ProblemCode::settings_refused, at(0), {.code = Errc::config, .subject = "/etc/v.toml"}};
  problem.cause.fields = {{"restart_1", "control.socket"}};
  CHECK(remedy(problem) == "the settings are valid; restart the daemon to use them: `systemctl restart vtmirror`");
  CHECK(resolved(problem) == "resolved: the daemon now uses the settings in /etc/v.toml");
  problem.cause.fields = {{"mistake_1", "line 4: schedule.splya: unknown key"}};
  CHECK(remedy(problem) == "correct them, test them with `vtmirror config check`, and have the daemon reload them");
}

TEST_CASE("the next try is said of what the next cycle tries, where one is certain to follow") {
  const Problem failed{ProblemCode::cycle_failed, at(0), {.code = Errc::http_status, .detail = "HTTP 500"}};
  const auto notice = problem_notice(failed, core::Stage::began, at(1), {.at = at(600), .words = "08:13"});
  const auto json = core::notice_json(notice);
  CHECK(json.find("; next try 08:13\"") != std::string::npos);
  CHECK(json.find("\"next_try\":\"") != std::string::npos);
  CHECK(core::notice_json(problem_notice(failed, core::Stage::began, at(1))).find("next") == std::string::npos);
  CHECK(next_try({ProblemCode::channel_failing}, {.at = at(600), .words = "08:13"}).empty());
}

TEST_CASE(
    "a damaged delta is tried again by the next cycle, a bulk file once a day, and one that ends the program never") {
  const auto tried = [](const std::string& name, core::Cause cause) {
    cause.subject = name;
    const Problem problem{ProblemCode::quarantined_file, at(0), std::move(cause)};
    return problem_status(problem, at(600)).next_try.has_value();
  };
  const std::string delta = "v1/public/delta/year=2026/month=11/day=18/delta-light-vehicle_18-11-2026.zip";
  const std::string bulk = "v1/public/bulk/year=2026/month=11/day=15/bulk-light-vehicle_15-11-2026.zip";
  const core::Cause damage{.code = Errc::integrity, .detail = "member"};
  CHECK(tried(delta, damage));
  CHECK_FALSE(tried(bulk, damage));
  CHECK_FALSE(tried(delta, core::deadly_check(3)));
  CHECK_FALSE(tried("another.zip", damage));
}

TEST_CASE("a late delta's advice stays true after the file was listed") {
  const std::string advised(remedy(ProblemCode::late_delta));
  CHECK(advised.find("nothing to do") == std::string::npos);
  CHECK(advised.find("again tomorrow at schedule.at") != std::string::npos);
  CHECK(advised.find("`vtmirror sync`") != std::string::npos);
}

TEST_CASE("a cycle's reason is its first failure, or that it was stopped") {
  core::CycleReport report;
  CHECK(reason(report).empty());
  report.outcome = core::Outcome::partial;
  report.failures = {{FailureKind::lost, {.subject = "a.zip", .detail = "gone"}}, core::stopped()};
  CHECK(reason(report) == "a.zip: gone");
  report.stopped = true;
  CHECK(reason(report) == sentence(core::stopped()));
  report.outcome = core::Outcome::complete;
  CHECK(reason(report).empty());
}

TEST_CASE("a problem is one sentence, made of its parts") {
  const auto words = [](ProblemCode code, core::Cause cause) { return sentence(Problem{code, {}, std::move(cause)}); };
  CHECK(words(ProblemCode::channel_failing,
              {.code = Errc::forbidden,
               .subject = "mail to ops@fleet.example",
               .detail = "exit status 77",
               .fields = {{"waiting", std::int64_t{1}}, {"oldest", "2026-11-17T07:00:00Z"}}}) ==
        "mail to ops@fleet.example could not deliver 1 notice, the oldest of 2026-11-17T07:00:00Z: exit status "
        "77");
  CHECK(words(ProblemCode::channel_failing, {.code = Errc::forbidden,
                                             .subject = "webhook",
                                             .status = 404,
                                             .fields = {{"waiting", std::int64_t{3}},
                                                        {"oldest", "2026-11-17T06:00:00Z"},
                                                        {"more", std::int64_t{1}}}}) ==
        "webhook could not deliver 3 notices, the oldest of 2026-11-17T06:00:00Z: HTTP 404 (and 1 more)");
  CHECK(words(ProblemCode::consumer_behind, {.subject = "warehouse",
                                             .fields = {{"waiting", std::int64_t{7}},
                                                        {"oldest", "2026-11-10T08:00:00Z"},
                                                        {"more", std::int64_t{1}}}}) ==
        "the consumer warehouse has not loaded 7 files, the first of which came 2026-11-10T08:00:00Z (and 1 more)");
  CHECK(words(ProblemCode::cycle_failed, {.code = Errc::forbidden, .detail = "the issuer refuses"}) ==
        "the issuer refuses");
  CHECK(words(ProblemCode::cycle_failed,
              {.code = Errc::forbidden, .detail = "HTTP 403", .fields = {{"service_code", "FB-03"}}}) == "HTTP 403");
  CHECK(words(ProblemCode::low_space, {.code = Errc::no_space, .detail = "the catalogue cannot be written"}) ==
        "the catalogue cannot be written");
  CHECK(words(ProblemCode::cycle_failed, {}) == "the last cycle could not be recorded");
  CHECK(words(ProblemCode::cycle_failed, {.fields = {{"cuts", std::int64_t{4}}}}) ==
        "the last 4 cycles were cut off: the process was killed, or the machine lost its power");
  CHECK(words(ProblemCode::quarantined_file, {.subject = "a.zip", .detail = "a wrong checksum"}) ==
        "a.zip is damaged (a wrong checksum), downloaded twice");
  CHECK(words(ProblemCode::late_delta, {.subject = "2026-11-18"}) == "delta 18 Nov was not listed in time");
  CHECK(words(ProblemCode::catalogue_unreadable, {.code = Errc::io, .detail = "catalogue.db: Input/output error"}) ==
        "the catalogue cannot be read: catalogue.db: Input/output error");
  CHECK(words(ProblemCode::missing_files,
              {.subject = "a", .detail = "timed_out", .fields = {{"more", std::int64_t{2}}}}) ==
        "a: timed_out (and 2 more)");
}

TEST_CASE("a lost file that no cycle can download again is to be restored from a backup, and verified") {
  Problem problem{.code = ProblemCode::damaged_file, .cause = {.code = Errc::io, .subject = "v1/a.zip"}};
  CHECK(remedy(problem) == "restore it from a backup, then run `vtmirror verify`: no cycle can download it again");
  problem.cause.fields.push_back({"listed", std::int64_t{1}});
  CHECK(remedy(problem).starts_with("no action needed: the next cycle downloads it again (the daemon starts one"));
  CHECK(remedy_by_hand(problem).starts_with("run `vtmirror sync`, which downloads it again"));
}

TEST_CASE("every problem has a sentence, also when nothing is known of its cause") {
  for (const auto& code : test::every<ProblemCode>()) {
    CAPTURE(code.word);
    CHECK_FALSE(sentence(Problem{code.value, at(0), core::Cause{base::Errc::io}}).empty());
  }
}

TEST_CASE("every problem has a remedy of its own, and one of a newer daemon a general one") {
  const auto general = remedy("something_new");
  CHECK_FALSE(general.empty());
  CHECK(severity("something_new") == core::Severity::warning);
  std::set<std::string_view> seen{general};
  for (const auto& code : test::every<ProblemCode>()) {
    CAPTURE(code.word);
    CHECK_FALSE(remedy(code.value).empty());
    CHECK(seen.insert(remedy(code.value)).second);
    CHECK(remedy(code.word) == remedy(code.value));
    CHECK(severity(code.word) == core::severity(code.value));
  }
}

TEST_CASE("the advice on a lack of space names the reserve only where the file would fit without it") {
  const auto advised = [](std::int64_t left, std::int64_t reserve) {
    const Problem problem{.code = ProblemCode::low_space, .cause = core::no_room({.needs = 60, .free = left}, reserve)};
    return std::string(remedy(problem));
  };
  CHECK(advised(39, 100).ends_with("or lower mirror.reserve"));
  CHECK(advised(-40, 100).ends_with("or lower mirror.reserve"));
  for (const auto& text : {advised(39, 20), advised(-100, 100), advised(0, 0)}) {
    CHECK(text.starts_with("make room under mirror.directory"));
    CHECK(text.ends_with("a lower mirror.reserve would not be enough"));
  }
  const Problem full{.code = ProblemCode::low_space,
                     .cause = {.code = Errc::no_space, .detail = "a.zip: cannot write: No space left on device"}};
  CHECK(remedy(full) == remedy(ProblemCode::low_space));
  CHECK(remedy(full).find("reserve") == std::string_view::npos);
  CHECK(advice_on_space(full.cause).find("reserve") == std::string_view::npos);
}

TEST_CASE("a shortage has the same advice whether it is planned or found during the download, and both say which") {
  const std::string name = "v1/public/delta/year=2026/month=11/day=18/delta-light-vehicle_18-11-2026.zip";
  auto error = core::does_not_fit({.needs = 5'000'000'000, .free = 4'500'000'000}, 2'000'000'000);
  const auto planned = core::failure_of(error, name);
  CHECK(planned.cause.fields == core::no_room({.needs = 5'000'000'000, .free = 4'500'000'000}, 2'000'000'000).fields);
  error.diagnosis = base::Diagnosis::other_version;
  const auto found = core::failure_of(error, name);
  CHECK(advice(found.cause) == advice(planned.cause));
  CHECK(advice(found.cause).ends_with("or lower mirror.reserve"));
  const std::string figures = "it needs 5.00 GB, and 4.50 GB are free beside the reserve of 2.00 GB: 500 MB short";
  const std::string other = "delta 18 Nov: the store has another edition of it now, which does not fit: " + figures;
  CHECK(sentence(planned) == "delta 18 Nov does not fit: " + figures);
  CHECK(sentence(found) == other);
  CHECK(sentence(Problem{ProblemCode::low_space, at(0), found.cause}) == other);
  CHECK(reason(error, name) == "the store has another edition of it now, which does not fit: " + figures);
}

TEST_CASE("a headline names what failed and the cause, without the address of a request, of a store or of a member") {
  const auto of_request = [](std::string why, std::vector<core::Field> more = {}, int status = 0) {
    Problem problem{.code = ProblemCode::cycle_failed};
    more.push_back({"why", why});
    problem.cause = {.code = base::Errc::http_status,
                     .detail = "token request to login.example/TENANT/oauth2/v2.0/token failed: " + std::move(why),
                     .status = status,
                     .fields = std::move(more)};
    problem.cause.fields.push_back({"request", std::string("token request")});
    return headline(problem).value_or("");
  };
  CHECK(of_request("HTTP 404") == "token request failed: HTTP 404");
  CHECK(of_request("the proxy at p.example:3128: it failed: no") ==
        "token request failed: the proxy at p.example:3128: it failed: no");
  CHECK(of_request("HTTP 403 \"expired\"; the clock may be wrong", {{"diagnosis", "clock_differs"}}, 403) ==
        "this machine's clock may be wrong (token request: HTTP 403)");
  // As version 0.1.0 kept it.
  CHECK(of_request("HTTP 403 \"expired\"; the clock may be wrong", {{"service_code", "clock_differs"}}, 403) ==
        "this machine's clock may be wrong (token request: HTTP 403)");
  auto secret =
      refused_secret("token request to login.example/T failed: the client secret is wrong (AADSTS7000215)", "");
  CHECK_FALSE(headline(secret).has_value());
  secret.cause.fields.push_back({"why", "the client secret is wrong (AADSTS7000215)"});
  CHECK(headline(secret) == "the client secret is wrong (AADSTS7000215)");
  const std::string delta = "v1/public/delta/year=2026/month=11/day=23/delta-light-vehicle_23-11-2026.zip";
  Problem problem{.code = ProblemCode::quarantined_file};
  problem.cause = {.code = base::Errc::integrity,
                   .subject = delta,
                   .detail = delta + ": member delta-light-vehicle_23-11-2026.json: wrong checksum"};
  // As older versions kept it.
  CHECK(headline(problem) == "delta 23 Nov is damaged (member delta-light-vehicle_23-11-2026.json: wrong checksum)");
  problem.cause.fields = {{"why", std::string("wrong checksum")}};
  CHECK(headline(problem) == "delta 23 Nov is damaged (wrong checksum)");
  problem.cause.fields.push_back({"more", std::int64_t{2}});
  CHECK(headline(problem) == "delta 23 Nov is damaged (wrong checksum) (and 2 more)");
  problem.code = ProblemCode::missing_files;
  problem.cause = {.code = base::Errc::link_refused,
                   .subject = delta,
                   .detail = "the store at files.eu-west-2.amazonaws.example answered HTTP 403 AccessDenied",
                   .status = 403};
  CHECK(headline(problem) == "delta 23 Nov: the store answered HTTP 403");
  problem.cause = {.code = base::Errc::timed_out, .subject = delta, .detail = "no byte for 30 s"};
  CHECK_FALSE(headline(problem).has_value());
}

TEST_CASE("the notice of a problem has its headline where that is not the message, also when it is over") {
  auto problem = refused_secret("token request to login.example/T failed: HTTP 401", "");
  problem.cause.fields.push_back({"why", "HTTP 401"});
  const auto headline_of = [](const core::Notice& notice) {
    for (const auto& field : notice.fields)
      if (field.key == core::headline_field) return std::get<std::string>(field.value);
    return notice.message;
  };
  CHECK(headline_of(problem_notice(problem, core::Stage::began, at(1))) == "HTTP 401");
  CHECK(headline_of(problem_notice(problem, core::Stage::over, at(1))) == "resolved: the client secret is accepted");
  const Problem failed{.code = ProblemCode::cycle_failed,
                       .cause = {.code = base::Errc::http_status,
                                 .detail = "listing request to api.example/l failed: HTTP 500",
                                 .fields = {{"request", std::string("listing request")}, {"why", "HTTP 500"}}}};
  CHECK(headline_of(problem_notice(failed, core::Stage::over, at(1))) == "resolved: listing request failed: HTTP 500");
  const Problem full{.code = ProblemCode::low_space, .since = at(0), .cause = {.detail = "a.zip does not fit"}};
  CHECK(core::notice_json(problem_notice(full, core::Stage::began, at(1))).find("headline") == std::string::npos);
}

TEST_CASE("what a running daemon does by itself is said only where one runs") {
  const auto what_to_do = [](const core::Problem& problem, const NextTry& next) {
    for (const auto& field : problem_notice(problem, core::Stage::began, at(1), next).fields)
      if (field.key == core::remedy_field) return std::get<std::string>(field.value);
    return std::string();
  };
  const auto wrong = refused_secret("the client secret is wrong (AADSTS7000215)", "AADSTS7000215");
  const std::string by_hand =
      "check that it is the secret's value and not its ID, then run `vtmirror secret set`; no support request is "
      "needed";
  CHECK(what_to_do(wrong, {}) == by_hand);
  CHECK(what_to_do(wrong, {.at = at(9), .words = "08:13"}) ==
        by_hand + "; the daemon asks again once it has reloaded its settings; next try 08:13");
  const core::Problem unknown{.code = ProblemCode::cycle_failed, .cause = {.detail = "?"}};
  CHECK(what_to_do(unknown, {}) == "see the reason above; `vtmirror history` shows more");
}

TEST_CASE("the notice of a problem says what to do when it begins, and another one says that it is over") {
  const Problem problem{.code = ProblemCode::low_space, .since = at(0), .cause = {.detail = "a.zip does not fit"}};
  const auto began = problem_notice(problem, core::Stage::began, at(1));
  CHECK(began.topic == core::Topic::warning);
  CHECK(began.code == "low_space");
  CHECK(began.urgency == core::Urgency::error);
  CHECK(began.message == "a.zip does not fit");
  CHECK(core::notice_json(began).find(R"("remedy":"make room)") != std::string::npos);
  const auto over = problem_notice(problem, core::Stage::over, at(2));
  CHECK(over.urgency == core::Urgency::info);
  CHECK(over.message == "resolved: a.zip does not fit");
  CHECK(core::notice_json(over).find(R"("stage":"over")") != std::string::npos);
  CHECK(core::notice_json(over).find("remedy") == std::string::npos);
}

}  // namespace
}  // namespace vtmirror::report
