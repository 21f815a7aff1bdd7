#include "vtmirror/report/history.hpp"

#include "vtmirror/report/advice.hpp"
#include "vtmirror/report/sentence.hpp"

#include <doctest/doctest.h>

#include <string>

namespace vtmirror::report {
namespace {

TEST_CASE("the summary of a complete cycle has its files, bytes, time and rate") {
  core::CycleReport report;
  report.outcome = core::Outcome::complete;
  report.files = 5;
  report.bytes = 40'100'000'000;
  report.took = std::chrono::minutes(6) + std::chrono::seconds(12);
  CHECK(summary(report) == "complete: 5 files, 40.1 GB in 6m 12s, 108 MB/s");
  report.files = 0;
  report.bytes = 0;
  CHECK(summary(report) == "complete: nothing new (6m 12s)");
}

TEST_CASE("what a cycle achieved is said without zeros, and its time also below a second") {
  CHECK(gain_words(core::Outcome::complete, 2, 167'000'000, std::chrono::seconds(12)) == "2 files, 167 MB in 12s");
  CHECK(gain_words(core::Outcome::complete, 0, 0, base::Milliseconds(240)) == "nothing new (0.2s)");
  CHECK(gain_words(core::Outcome::partial, 0, 1'240'000, base::Milliseconds(30)) ==
        "no file published, 1.24 MB downloaded in 0.1s");
  CHECK(gain_words(core::Outcome::failed, 0, 0, base::Milliseconds(949)) == "nothing downloaded (0.9s)");
  CHECK(took_words(base::Milliseconds(950)) == "1s");
  CHECK(took_words(base::Milliseconds(1'499)) == "1s");
  CHECK(took_words(base::Milliseconds(-5)) == "under 1s");
  CHECK(took_words(std::chrono::hours(2)) == "2h 00m");
}

TEST_CASE("a complete cycle says that today's delta is not listed yet, and another outcome does not") {
  const auto awaited = not_listed_yet(base::parse_date("2026-11-18").value());
  core::CycleReport report;
  report.outcome = core::Outcome::complete;
  CHECK(summary(report, awaited) == "up to date with the listing; today's delta (18 Nov) is not listed yet");
  report.files = 1;
  report.bytes = 95'800'000;
  report.took = std::chrono::seconds(10);
  CHECK(summary(report, awaited) ==
        "complete: 1 file, 95.8 MB in 10s, 9.58 MB/s; today's delta (18 Nov) is not listed yet");
  report.outcome = core::Outcome::partial;
  CHECK(summary(report, awaited) == summary(report));
  CHECK(not_listed_yet() == "today's delta is not listed yet");
}

TEST_CASE("the summary of a partial cycle has its reason and what to do") {
  core::CycleReport report;
  report.outcome = core::Outcome::partial;
  report.files = 1;
  report.refused = 2;
  report.failures = {{core::FailureKind::no_space, {.code = base::Errc::no_space, .detail = "12 GB are missing"}}};
  CHECK(summary(report) ==
        "partial: 1 file, 0 B in under 1s, 2 refused\n12 GB are missing\n" + std::string(advice(base::Errc::no_space)));
  report.failures = {{core::FailureKind::other, {.detail = "somebody pulled the plug"}}};
  CHECK(summary(report).ends_with("\nsomebody pulled the plug"));
}

TEST_CASE(
    "a refused entry has a line of its own and is not named again, and a damaged file is named as the status names "
    "it") {
  core::CycleReport report;
  report.outcome = core::Outcome::partial;
  report.refused = 1;
  report.failures = {{core::FailureKind::refused_entry, {.subject = "delta[3]", .detail = "fileSize: no number"}}};
  CHECK(summary(report) ==
        "partial: nothing downloaded (under 1s), 1 refused\n" + std::string(remedy(core::ProblemCode::refused_entry)));
  report.refused = 0;
  report.failures = {{core::FailureKind::damaged, {.code = base::Errc::integrity, .subject = "a", .detail = "cut"}}};
  CHECK(summary(report) ==
        "partial: nothing downloaded (under 1s), 1 quarantined\na is damaged (cut), downloaded twice\n" +
            std::string(advice(base::Errc::integrity)));
}

TEST_CASE("of several files with one problem the first is named, and the others are counted") {
  core::CycleReport report;
  report.outcome = core::Outcome::partial;
  const core::Failure full{core::FailureKind::no_space,
                           {.code = base::Errc::no_space, .subject = "a", .detail = "full"}};
  report.failures = {full, full, {core::FailureKind::other, {.subject = "b", .detail = "cut"}}, full};
  CHECK(summary(report).find("\na: full (and 2 more)\n") != std::string::npos);
}

TEST_CASE("removals are said with what happens to the bytes") {
  core::CycleReport report;
  CHECK(removals(report).empty());
  report.removed = 8;
  report.removed_bytes = 23'000'000;
  CHECK(removals(report) ==
        "removed 8 files of older chains, 23.0 MB; their bytes stay in .vtmirror/held for 24 hours");
  report.removed = 1;
  CHECK(removals(report).starts_with("removed 1 file of older chains, 23.0 MB; its bytes stay"));
}

TEST_CASE("the advice on a failed request follows from who answered, and with what") {
  const auto advised = [](base::Errc code, int status, std::string subject) {
    return std::string(advice(core::Cause{.code = code, .subject = std::move(subject), .status = status}));
  };
  for (const int status : {500, 502})
    CHECK(advised(base::Errc::http_status, status, "v1/a.zip").find("if the store's error stays") != std::string::npos);
  CHECK(advised(base::Errc::http_status, 502, "").find("under [service]") != std::string::npos);
  for (const int status : {404, 410})
    CHECK(advised(base::Errc::link_refused, status, "v1/a.zip").starts_with("the store does not have the file"));
  CHECK(advised(base::Errc::link_refused, 403, "v1/a.zip").starts_with("the store refuses links that are new"));
  CHECK(advised(base::Errc::rate_limited, 503, "v1/a.zip").find("if the store stays busy or down") !=
        std::string::npos);
  CHECK(advised(base::Errc::rate_limited, 429, "").find("so often") != std::string::npos);
}

TEST_CASE("what a daemon's work met has the advice of that error") {
  const base::Error empty{.code = base::Errc::http_status,
                          .detail = "the service lists no file",
                          .status = 500,
                          .met = base::Errc::empty_listing};
  CHECK(error_lines(empty) == error_lines({base::Errc::empty_listing, "the service lists no file"}));
}

TEST_CASE("a place that cannot be written calls for access, and one on a read-only file system for another mount") {
  CHECK(advice_on_unwritable("mirror.directory", false) ==
        "give this process's user write access, or set another mirror.directory");
  CHECK(advice_on_unwritable("mirror.directory", true) ==
        "the file system there is mounted read-only: `dmesg` says why; remount it, or set another mirror.directory");
}

TEST_CASE("an error is printed with what to do about it") {
  const auto lines = error_lines({base::Errc::tls, "store.example: certificate has expired"});
  CHECK(lines.starts_with("vtmirror: store.example: certificate has expired\nvtmirror: "));
  CHECK(lines.find("service.ca_file") != std::string::npos);
  CHECK(error_lines({base::Errc::locked, "held by vtmirror sync, process 4711"})
            .starts_with("vtmirror: the mirror is held by vtmirror sync, process 4711\n"));
  CHECK(error_lines({base::Errc::config, "one\ntwo"}) == "vtmirror: one\nvtmirror: two\n");
}

base::Error coded(base::Errc code, const std::string& detail, const std::string& service_code) {
  return {.code = code, .detail = detail, .service_code = service_code};
}

TEST_CASE("the error code of the issuer or the service decides which setting the advice names") {
  struct Row {
    base::Error error;
    std::string setting;
  };
  for (const auto& [error, setting] :
       {Row{coded(base::Errc::http_status, "HTTP 400 unauthorized_client \"not in the directory\"",
                  "unauthorized_client"),
            "credentials.client_id"},
        Row{coded(base::Errc::http_status, "HTTP 400 invalid_scope", "invalid_scope"), "service.scope"},
        Row{coded(base::Errc::forbidden, "HTTP 401 invalid_client \"7000222\"", "invalid_client"),
            "the secret is its value"},
        Row{coded(base::Errc::forbidden, "HTTP 403 MOTH-FB-03 \"not recognised\"", "FB-03"), "the API key"},
        Row{coded(base::Errc::rate_limited, "HTTP 429 MOTH-RL-01", "RL-01"), "block the key for 24 hours"},
        Row{coded(base::Errc::rate_limited, "HTTP 429 MOTH-RL-02", "RL-02"), "tried again after a while"},
        Row{coded(base::Errc::http_status, "HTTP 404 MOTH-NF-02 \"No such URL\"", "NF-02"), "service.listing_path"}}) {
    const auto lines = error_lines(error);
    CAPTURE(lines);
    CHECK(lines.find(setting) != std::string::npos);
    CHECK(lines.find("the addresses under [service]") == std::string::npos);
  }
  CHECK(error_lines(coded(base::Errc::forbidden, "HTTP 403 MOTH-FB-03", "FB-03")).find("client_id") ==
        std::string::npos);
  CHECK(error_lines({base::Errc::http_status, "HTTP 500"}).find("the addresses under [service]") != std::string::npos);
}

TEST_CASE("a daemon's cycle is summarised in the same words, with the same advice") {
  LastCycleStatus cycle;
  cycle.finished = cycle.started + std::chrono::seconds(12);
  cycle.outcome = core::Outcome::partial;
  cycle.files = 2;
  cycle.bytes = 24'000'000;
  cycle.error = "v1/a.zip: the service answered HTTP 403 MOTH-FB-03";
  const std::string done =
      "partial: 2 files, 24.0 MB in 12s, 2.00 MB/s\nv1/a.zip: the service answered HTTP 403 MOTH-FB-03";
  CHECK(summary(cycle) == done);
  cycle.code = base::Errc::forbidden;
  CHECK(summary(cycle) == done + "\n" + std::string(advice(base::Errc::forbidden)));
  cycle.service_code = "FB-03";
  CHECK(summary(cycle).find("the file of the API key") != std::string::npos);
  cycle.advice = "ask again tomorrow";
  CHECK(summary(cycle) == done + "\nask again tomorrow");
}

TEST_CASE("no advice follows a cycle that was stopped") {
  core::CycleReport report;
  report.outcome = core::Outcome::partial;
  report.stopped = true;
  CHECK(summary(report) == "stopped: nothing downloaded (under 1s); the next cycle resumes where it stopped");
}

}  // namespace
}  // namespace vtmirror::report
