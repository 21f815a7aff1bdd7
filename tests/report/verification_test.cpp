#include "vtmirror/report/verification.hpp"

#include "vtmirror/report/advice.hpp"

#include <doctest/doctest.h>

using namespace vtmirror;
using core::Verdict;

namespace {

const std::string delta = "v1/public/delta/year=2026/month=11/day=16/delta-light-vehicle_16-11-2026.zip";
const std::string bulk = "v1/public/bulk/year=2026/month=11/day=15/bulk-light-vehicle_15-11-2026.zip";

core::Finding finding(Verdict verdict, bool listed = true) {
  return {.name = delta,
          .size = 100,
          .verdict = verdict,
          .cause = {.code = base::Errc::integrity, .detail = "member a: wrong checksum"},
          .listed = listed};
}

core::VerificationReport report_of(std::vector<core::Finding> findings) {
  core::VerificationReport made{.files = 5, .bytes = 2'400'000};
  made.findings = std::move(findings);
  made.took = base::Milliseconds(11'200);
  return made;
}

}  // namespace

TEST_CASE("a finding is one sentence that says what can be done") {
  CHECK(report::sentence(finding(Verdict::damaged)) ==
        "delta 16 Nov is damaged: member a: wrong checksum; the next cycle downloads it again");
  CHECK(report::sentence(finding(Verdict::damaged, false)) ==
        "delta 16 Nov is damaged: member a: wrong checksum; it is not listed any more and cannot be downloaded again: "
        "restore it from a backup");
  auto obstructed = finding(Verdict::lost);
  base::Error directory{.code = base::Errc::io, .detail = "a directory is in its place"};
  directory.diagnosis = base::Diagnosis::obstructed_file;
  obstructed.cause = core::cause_of(directory);
  const std::string remove =
      "delta 16 Nov is lost: a directory is in its place; move that away, `vtmirror files --json` shows "
      "the file's path; ";
  CHECK(report::sentence(obstructed) == remove + "then the next cycle downloads it again");
  obstructed.listed = false;
  CHECK(report::sentence(obstructed) ==
        remove + "it is not listed any more and cannot be downloaded again: restore it from a backup");
  CHECK(report::sentence(finding(Verdict::mended)) == "delta 16 Nov is whole again");
  auto unread = finding(Verdict::unread);
  unread.cause = core::deadly_check(3);
  CHECK(report::sentence(unread) ==
        "delta 16 Nov was not read: the program ended 3 times while it checked this file, perhaps for lack of memory");
}

TEST_CASE("the summary says how much was read and what was found") {
  CHECK(report::summary(report_of({})) == "verified 5 files (2.40 MB) in 12s: all are whole");
  auto repaired = finding(Verdict::lost);
  repaired.repaired = true;
  auto all = report_of({finding(Verdict::damaged), finding(Verdict::damaged), finding(Verdict::lost),
                        finding(Verdict::mended), repaired});
  all.left = 2;
  CHECK(report::summary(all) ==
        "verified 5 files (2.40 MB) in 12s: 2 are damaged, 1 is lost, 1 was damaged or lost and was downloaded again, "
        "1 is whole again; stopped before 2 more files");
  CHECK_FALSE(core::is_clean(all));
  CHECK(core::found_wrong(all));
  core::VerificationReport stopped{.left = 5};
  CHECK(report::summary(stopped) == "no file was verified; stopped before 5 files");
  CHECK_FALSE(core::is_clean(stopped));
  CHECK_FALSE(core::found_wrong(stopped));
  stopped.left = 1;
  CHECK(report::summary(stopped) == "no file was verified; stopped before 1 file");
  CHECK(report::summary({}) == "no file was verified");
  CHECK(core::is_clean(report_of({repaired, finding(Verdict::mended)})));
}

TEST_CASE("what it means for the chain is said by its end and by what is missing") {
  auto made = report_of({});
  CHECK(report::chain_summary(made) == "");
  core::Chain chain;
  chain.files = {{core::Kind::bulk, bulk, base::parse_date("2026-11-15").value(), 1, "", 1}};
  chain.through = base::parse_date("2026-11-15").value();
  chain.complete = true;
  made.chain = chain;
  CHECK(report::chain_summary(made) == "the chain to load is complete through 15 Nov");
  chain.complete = false;
  chain.missing = {{core::Kind::delta, delta, base::parse_date("2026-11-16").value(), core::MissingReason::damaged}};
  made.chain = chain;
  CHECK(report::chain_summary(made) ==
        "the chain to load is not complete and ends on 15 Nov: delta 16 Nov is missing (damaged on disk)");
  chain.files.clear();
  chain.through.reset();
  chain.missing.push_back(chain.missing.front());
  made.chain = chain;
  CHECK(report::chain_summary(made) ==
        "there is no chain to load: delta 16 Nov is missing (damaged on disk), and 1 more file");
}

TEST_CASE("what followers are sent reads back as it was") {
  auto lost = finding(Verdict::lost, false);
  auto made = report_of({finding(Verdict::damaged), lost});
  made.left = 1;
  const base::Error stopped{.code = base::Errc::no_space, .detail = "the disk is full"};
  const auto json = report::verification_json(7, made, stopped);
  CHECK(report::verification_number(json) == 7);
  const auto end = report::parse_verification(json).value();
  CHECK(end.number == 7);
  CHECK_FALSE(end.clean);
  CHECK(end.left == 1);
  CHECK(end.stopped_by == core::cause_of(stopped));
  CHECK(end.summary == report::summary(made));
  CHECK(json.find("\"seconds\":12,") != std::string::npos);
  REQUIRE(end.findings.size() == 2);
  CHECK(end.findings[1].verdict == Verdict::lost);
  CHECK_FALSE(end.findings[1].listed);
  CHECK(end.findings[0].cause == made.findings[0].cause);
  CHECK(report::parse_verification(report::verification_json(1, report_of({}))).value().clean);
  CHECK(report::parse_verification("{}").error().detail == "the daemon's answer: verification is missing");
  CHECK(report::parse_verifying("[]").error().detail == "the daemon's answer is not a JSON object");

  ports::CycleProgress progress{.files = 3, .done = 1, .bytes = 300, .received = 150};
  auto& row = progress.downloads.emplace_back();
  row.name = delta;
  row.size = 100;
  row.received = 50;
  const auto read = report::parse_verifying(report::verifying_json(7, progress)).value();
  CHECK(read.files == 3);
  CHECK(read.received == 150);
  REQUIRE(read.downloads.size() == 1);
  CHECK(read.downloads[0].name == delta);
  CHECK(read.downloads[0].received == 50);
  progress.downloads.clear();
  CHECK(report::parse_verifying(report::verifying_json(7, progress)).value().downloads.empty());
}

TEST_CASE("an error without words still says that the verification could not be finished") {
  base::Error bare{.code = base::Errc::io};
  bare.diagnosis = base::Diagnosis::open_files;
  const auto end = report::parse_verification(report::verification_json(1, report_of({}), bare)).value();
  CHECK_FALSE(end.clean);
  REQUIRE(end.stopped_by.has_value());
  CHECK(end.stopped_by->code == base::Errc::io);
  CHECK(report::error_lines(core::error_of(*end.stopped_by)) == report::error_lines(bare));
}

TEST_CASE("a check that ended the program is known as one by a follower too") {
  auto unread = finding(Verdict::unread);
  unread.cause = core::deadly_check(3);
  const auto end = report::parse_verification(report::verification_json(1, report_of({unread}))).value();
  CHECK(core::is_deadly(end.findings.at(0).cause));
  CHECK(report::sentence(end.findings.at(0)) == report::sentence(unread));
}

TEST_CASE("what an older daemon sends of a verification is read as its sentences") {
  const auto end = report::parse_verification(R"({"verification":7,"clean":false,"left":0,"summary":"s","chain":null,
      "error":"the disk is full","findings":[{"name":"a.zip","size":1,"state":"damaged",
      "reason":"a wrong checksum","listed":true,"repaired":false}]})")
                       .value();
  CHECK(end.stopped_by == core::Cause{.detail = "the disk is full"});
  CHECK(end.findings.at(0).cause == core::Cause{.detail = "a wrong checksum"});
}
