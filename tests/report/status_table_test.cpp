#include "report/status_examples.hpp"
#include "vtmirror/report/secret_report.hpp"
#include "vtmirror/report/status.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

using namespace vtmirror;
using report::Status;
using report::TableLook;
using test::at;
using test::day;
using test::quiet;

namespace {

const base::Time evening = at("2026-11-18T18:00:00Z");

TableLook local(int width = 80) {
  return {width, false, [](base::Time) { return std::chrono::seconds(0); }};
}

std::string headline(const Status& status, base::Time now = evening) {
  return report::status_headline(status, now, local());
}

std::string table(const Status& status, const TableLook& look = local()) {
  return report::status_table(status, evening, look);
}

bool says(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

Status busy() {
  auto status = quiet();
  status.state = core::State::syncing;
  status.next_wake.reset();
  status.cycle =
      report::CycleStatus{at("2026-11-18T17:58:00Z"), 5, 3, 40'000'000'000, 10'000'000'000, 100'000'000, {}, {}};
  status.cycle->eta = std::chrono::seconds(300);
  status.cycle->downloads = {
      {"v1/public/bulk/year=2026/bulk-light-vehicle_15-11-2026.zip", 38'000'000'000, 9'000'000'000, 98'100'000, 4, 1},
      {"v1/public/delta/year=2026/delta-light-vehicle_16-11-2026.zip", 95'800'000, 95'800'000, 0, 0, 2}};
  return status;
}

/// Of a file that is not named as the service names its files, the name is shown.
Status busy_with_odd_names() {
  auto status = busy();
  for (auto& download : status.cycle->downloads)
    download.name.replace(download.name.find("light"), std::string("light").size(), "heavy");
  return status;
}

Status troubled() {
  auto status = quiet();
  status.state = core::State::waiting;
  status.next_wake = at("2026-11-18T18:07:00Z");
  status.last_cycle->outcome = core::Outcome::failed;
  status.last_cycle->error = "no byte from store.example:443 for 30 s";
  status.chain = {false, day("2026-11-16"), {}, {day("2026-11-15")}};
  for (const auto* number : {"14", "16", "17", "18", "19"})
    status.chain.missing.push_back("v1/public/delta/delta-light-vehicle_" + std::string(number) + "-11-2026.zip");
  status.problems = {{"cycle_failed", at("2026-11-18T10:03:00Z"), "the last 3 cycles failed"},
                     {"late_delta", at("2026-11-16T14:03:00Z"), "the delta of 2026-11-18 is not listed yet"}};
  status.problems[0].next_try = status.next_wake;
  status.secret = {day("2026-11-15"), true, -3, {30, 14}};
  return status;
}

TEST_CASE("a quiet day is read in five seconds") {
  CHECK(table(quiet()) == R"(idle; next wake-up tomorrow 08:03 (in 14h)

Chain     through 2026-11-18 (today), complete
Mirror    12 files, 41.3 GB; 210 GB free; generation 42
          /var/lib/vtmirror/mirror
Last      complete today 08:10 (10h ago), took 7m 12s: 2 files, 95.8 MB
Problems  none
Secret    expires 2027-03-01 (in 103 days)
API key   last used today 08:03; revoked by the service unless used before
          2027-02-16 08:03
)");
}

TEST_CASE("a verification that somebody asked for is shown with how far it is") {
  auto status = quiet();
  CHECK(table(status).find("Verifying") == std::string::npos);
  status.verification = report::VerificationStatus{at("2026-11-18T18:00:00Z"), 12, 2, 41'300'000'000, 12'400'000'000};
  CHECK(table(status).find("Verifying 2 of 12 files, 30.0% of 41.3 GB, as was asked\n") != std::string::npos);
}

TEST_CASE("a cycle that runs shows a bar and a rate for each file") {
  CHECK(table(busy()) ==
        R"(syncing; 3 of 5 files, 25.0% of 40.0 GB, 100 MB/s, 5m 00s left

Chain     through 2026-11-18 (today), complete
Mirror    12 files, 41.3 GB; 210 GB free; generation 42
          /var/lib/vtmirror/mirror
Last      complete today 08:10 (10h ago), took 7m 12s: 2 files, 95.8 MB

bulk 15 Nov   [#####-----------------] 23.6% of 38.0 GB  98.1 MB/s
delta 16 Nov  [######################]  100% of 95.8 MB   checking  attempt 2

Problems  none
Secret    expires 2027-03-01 (in 103 days)
API key   last used today 08:03; revoked by the service unless used before
          2027-02-16 08:03
)");
}

TEST_CASE("the most urgent problem is shown first, and equally urgent ones as they came") {
  using core::ProblemCode;
  auto status = quiet();
  for (const auto& kind : core::problem_kinds)
    status.problems.push_back({std::string(kind.name), evening, "m", "a", kind.severity});
  std::ranges::reverse(status.problems);
  const auto text = table(status);
  const auto place = [&text](ProblemCode code) { return text.find(std::string(core::name(code)) + ": m\n"); };
  CHECK(place(ProblemCode::catalogue_unreadable) < place(ProblemCode::key_revoked));
  CHECK(place(ProblemCode::key_revoked) < place(ProblemCode::secret_refused));
  CHECK(place(ProblemCode::secret_refused) < place(ProblemCode::secret_expired));
  CHECK(place(ProblemCode::secret_expired) < place(ProblemCode::empty_listing));
  CHECK(place(ProblemCode::empty_listing) < place(ProblemCode::cycle_failed));
  CHECK(place(ProblemCode::cycle_failed) < place(ProblemCode::repair_failed));
  CHECK(place(ProblemCode::repair_failed) < place(ProblemCode::missing_files));
  for (const auto& kind : core::problem_kinds) {
    CAPTURE(kind.name);
    REQUIRE(place(kind.code) != std::string::npos);
    if (kind.severity == core::Severity::warning) CHECK(place(kind.code) > place(ProblemCode::missing_files));
  }
  CHECK(place(ProblemCode::consumer_behind) < place(ProblemCode::late_delta));
}

TEST_CASE("a problem is shown with what to do about it") {
  CHECK(table(troubled()) == R"(waiting to retry; next try today 18:07 (in 7m); 2 problems

Chain     through 2026-11-16 (2 days ago), not complete
          5 files missing: delta 14 Nov, delta 16 Nov, delta 17 Nov and 2 more
          no delta upstream for 2026-11-15: a later delta or the next bulk file
          has the data
Mirror    12 files, 41.3 GB; 210 GB free; generation 42
          /var/lib/vtmirror/mirror
Last      failed today 08:10 (10h ago), took 7m 12s: 2 files, 95.8 MB
          no byte from store.example:443 for 30 s
Problems  cycle_failed: the last 3 cycles failed
          since today 10:03 (8h ago); next try today 18:07
          -> see the reason above; the daemon tries again, `vtmirror sync` tries
          now, `vtmirror history` shows more
          late_delta: the delta of 2026-11-18 is not listed yet
          since 2026-11-16 14:03 (2 days ago)
          -> the service did not list it: the listing is requested again
          tomorrow at schedule.at, and by `vtmirror sync` now; if that day is
          not over yet or long past, check this machine's clock and
          schedule.time_zone; if it is still missing after some days, ask the
          service
Secret    expired 2026-11-15 (3 days ago); estimated: set
          credentials.secret_expires_on
API key   last used today 08:03; revoked by the service unless used before
          2027-02-16 08:03
)");
}

TEST_CASE("what a problem says of the last cycle is said once") {
  auto status = troubled();
  status.last_cycle->problem = core::ProblemCode::cycle_failed;
  status.problems[0].message = status.last_cycle->error;
  const auto shown = table(status);
  CHECK(shown.find(status.last_cycle->error) == shown.rfind(status.last_cycle->error));
  CHECK(says(shown, "cycle_failed: " + status.last_cycle->error));
  status.last_cycle->problem = core::ProblemCode::missing_files;
  CHECK(says(table(status), "95.8 MB\n          " + status.last_cycle->error));
}

TEST_CASE("a refused API key is shown as refused, and not with a day until which it would be good") {
  auto status = quiet();
  status.problems.push_back({.code = "key_revoked", .since = at("2026-11-18T09:03:00Z"), .message = "no"});
  const auto shown = table(status);
  CHECK(says(shown, "API key   last used today 08:03; refused by the service since today 09:03\n"));
  CHECK_FALSE(says(shown, "revoked by the service unless"));
}

TEST_CASE("a refused secret is shown as refused, and not with a day until which it would be good") {
  auto status = quiet();
  status.problems.push_back({.code = "secret_refused", .since = at("2026-11-17T09:03:00Z"), .message = "no"});
  const auto shown = table(status);
  CHECK(says(shown, "Secret    refused by the issuer since yesterday 09:03\n"));
  CHECK_FALSE(says(shown, "expires"));
}

TEST_CASE("the disk's row says how long it lasts, that this is not known, or what would help") {
  auto status = quiet();
  CHECK_FALSE(says(table(status, local(0)), "Disk"));
  status.mirror.outlook =
      core::Outlook{.today = day("2026-11-18"), .savings = {{3, 38'400'000'000}, {2, 76'800'000'000}}};
  CHECK(says(table(status, local(0)), "Disk"));
  CHECK(says(table(status, local(0)), "has no forecast yet"));
  auto& forecast = status.mirror.outlook->forecast.emplace();
  forecast = {.chain_bytes = 38'400'000'000, .chain_days = 7};
  CHECK(says(table(status, local(0)), "lasts for more than 5 years at the present growth: 38.4 GB every 7 days"));
  forecast.full_on = day("2027-01-03");
  CHECK(says(table(status, local(0)),
             "lasts until about 2027-01-03 (46 days) at the present growth: 38.4 GB every 7 days"));
  CHECK_FALSE(says(table(status, local(0)), "would free"));
  forecast.soon = true;
  CHECK(says(table(status, local(0)), "mirror.keep_cycles = 3 would free 38.4 GB, 2 would free 76.8 GB"));
  forecast.full_on = day("2026-11-18");
  CHECK(says(table(status, local(0)), "is full except for the reserve"));
}

TEST_CASE("quarantined files are shown with their size, and not mentioned where there are none") {
  auto status = quiet();
  CHECK_FALSE(says(table(status), "quarantine"));
  status.mirror.quarantined = 2;
  status.mirror.quarantined_bytes = 37'700'000'000;
  CHECK(says(table(status), "          /var/lib/vtmirror/mirror\n          2 files in the quarantine, 37.7 GB\nLast"));
}

TEST_CASE("the first line says what the daemon does and when it will do something") {
  auto status = quiet();
  CHECK(headline(status) == "idle; next wake-up tomorrow 08:03 (in 14h)");
  CHECK(headline(status, at("2026-11-19T08:01:00Z")) == "idle; next wake-up today 08:03 (in 2m)");
  CHECK(headline(status, at("2026-11-19T08:03:00Z")) == "idle; next wake-up today 08:03 (in 10s)");
  CHECK(headline(status, at("2026-11-19T08:03:10Z")) == "idle; next wake-up today 08:03 (now)");
  CHECK(headline(status, at("2026-11-10T08:03:10Z")) == "idle; next wake-up 2026-11-19 08:03 (in 9 days)");
  status.state = core::State::waiting;
  CHECK(headline(status) ==
        "up to date with the listing; today's delta is not listed yet; next try tomorrow 08:03 (in 14h)");
  status.last_cycle->outcome = core::Outcome::partial;
  CHECK(headline(status) == "waiting to retry; next try tomorrow 08:03 (in 14h)");
  status.next_wake.reset();
  CHECK(headline(status) == "waiting to retry");
  status.state = core::State::idle;
  CHECK(headline(status) == "idle");
  status.state = core::State::syncing;
  CHECK(headline(status) == "syncing");
  status.cycle.emplace();
  status.cycle->step = ports::Step::listing;
  CHECK(headline(status) == "syncing; asking for the listing");
  status.cycle->asking = ports::Asking{.since = evening - std::chrono::seconds(3)};
  CHECK(headline(status) == "syncing; asking for the listing (3s)");
  status.cycle->asking->until = evening + std::chrono::seconds(29);
  status.cycle->asking->reason = "the service asks for fewer requests (HTTP 429)";
  CHECK(headline(status) == "syncing; waiting until 18:00:29: the service asks for fewer requests (HTTP 429)");
  status.cycle->step = ports::Step::comparing;
  status.cycle->asking.reset();
  CHECK(headline(status) == "syncing; comparing the listing with the mirror");
  CHECK(headline(busy()) == "syncing; 3 of 5 files, 25.0% of 40.0 GB, 100 MB/s, 5m 00s left");
  status.state = core::State::starting;
  CHECK(headline(status) == "starting");
  status.state = core::State::stopping;
  status.problems = {{"low_space", evening, "full"}};
  CHECK(headline(status) == "stopping; transfers under way resume at the next start; 1 problem");
  status.problems.push_back({"late_delta", evening, "late"});
  CHECK(headline(status).ends_with("; 2 problems"));
}

TEST_CASE("the log says when the next cycle starts, and why it is not the next day") {
  const auto words = [](const Status& status) { return report::wake_words(status, evening, local(80)); };
  auto status = quiet();
  CHECK(words(status) == "next wake-up tomorrow 08:03");
  status.state = core::State::waiting;
  CHECK(words(status) == "up to date with the listing; today's delta is not listed yet; next try tomorrow 08:03");
  status.last_cycle->outcome = core::Outcome::failed;
  CHECK(words(status) == "waiting to retry; next try tomorrow 08:03");
  status.next_wake.reset();
  CHECK(words(status).empty());
}

TEST_CASE("files that wait have one line below those under way") {
  auto status = busy();
  const auto waiting = [](const Status& of) { return says(table(of), " waiting\n"); };
  CHECK_FALSE(waiting(status));
  status.cycle->files += 4;
  CHECK(says(table(status), "\n+4 waiting\n"));
}

TEST_CASE("times are those of the reader's clock, or say that they are UTC") {
  TableLook tokyo{80, false, [](base::Time) { return std::chrono::hours(9); }};
  CHECK(report::status_headline(quiet(), evening, tokyo) == "idle; next wake-up today 17:03 (in 14h)");
  CHECK(report::status_headline(quiet(), evening, {}) == "idle; next wake-up tomorrow 08:03 UTC (in 14h)");
}

TEST_CASE("the offset is that of the time that is shown, so that a change of summer time does no harm") {
  const auto change = at("2026-03-29T01:00:00Z");
  TableLook london{80, false, [&](base::Time time) { return std::chrono::hours(time < change ? 0 : 1); }};
  auto status = quiet();
  status.next_wake = at("2026-03-29T07:03:00Z");
  CHECK(report::status_headline(status, at("2026-03-28T23:30:00Z"), london) ==
        "idle; next wake-up tomorrow 08:03 (in 8h)");
}

TEST_CASE("an empty mirror says so") {
  Status status;
  const auto text = table(status);
  for (const auto* part :
       {"starting\n", "Chain     nothing to load yet: no bulk file is held\n", "Last      no cycle yet\n",
        "Secret    expiry unknown\n", "API key   not used yet\n", "Mirror    0 files, 0 B;"}) {
    INFO(part);
    CHECK(says(text, part));
  }
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const auto end = text.find('\n', begin);
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

std::size_t columns(const std::string& line) {
  return static_cast<std::size_t>(
      std::count_if(line.begin(), line.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

TEST_CASE("no line is wider than the terminal, whatever the status and however narrow") {
  test::AnyStatus any(7);
  std::vector<Status> statuses{quiet(), busy(), troubled()};
  for (int i = 0; i < 40; ++i) statuses.push_back(any.make());
  for (const auto& status : statuses) {
    for (int width = 1; width <= 130; width += width < 40 ? 1 : 9) {
      for (const auto& line : lines_of(table(status, local(width)))) {
        INFO("width ", width, ": ", line);
        REQUIRE(columns(line) <= static_cast<std::size_t>(width));
        REQUIRE_FALSE(line.ends_with(' '));
      }
    }
  }
}

TEST_CASE("without a width nothing is wrapped") {
  const auto text = table(troubled(), local(0));
  CHECK(says(text, "5 files missing: delta 14 Nov, delta 16 Nov, delta 17 Nov and 2 more\n"));
}

TEST_CASE("a transfer that had to begin again says so where there is room") {
  CHECK(says(table(busy(), local(100)), "checking  attempt 2\n"));
  CHECK(says(table(busy(), local(70)), "checking\n"));
}

TEST_CASE("a narrow terminal keeps each file's kind and its whole day") {
  const auto text = table(busy_with_odd_names(), local(60));
  CHECK(says(text, "bulk..._15-11-2026.zip  ["));
  CHECK(says(text, "delt..._16-11-2026.zip  ["));
}

TEST_CASE("a narrow terminal keeps each file's name end and percentage") {
  const auto text = table(busy_with_odd_names(), local(50));
  CHECK(says(text, "15-11-2026.zip 23.6% of 38.0 GB"));
  CHECK_FALSE(says(text, "[#"));
}

TEST_CASE("problems are red where colour is wanted, and nothing is coloured where it is not") {
  auto look = local();
  CHECK_FALSE(says(table(troubled(), look), "\x1b"));
  look.colour = true;
  const auto text = table(troubled(), look);
  CHECK(says(text, "Problems  \x1b[31mcycle_failed: the last 3 cycles failed\x1b[0m\n"));
  CHECK(says(text, "\x1b[31mlate_delta: the delta of 2026-11-18 is not listed yet\x1b[0m\n"));
  CHECK_FALSE(says(table(quiet(), look), "\x1b[31m"));
}

TEST_CASE("a message cannot steer the terminal") {
  auto status = quiet();
  status.problems = {{"low_space", evening, "full\x1b[2J\nidle"}};
  status.mirror.directory = "/a\x1b[31m";
  status.chain.missing = {"v1/\x1b[1m.zip"};
  CHECK_FALSE(says(table(status), "\x1b"));
}

TEST_CASE("the status of the secret fits a terminal: what follows stands below its label") {
  report::SecretReport report;
  report.path = "/etc/credstore/vtmirror.client_secret";
  report.why = "it is set in the settings";
  report.key_used = at("2026-11-25T08:00:00Z");
  const auto text = report::report_text(report, 60);
  CHECK(text.starts_with(
      "Secret    /etc/credstore/vtmirror.client_secret\n          in use: it is set in the settings\n"));
  CHECK(text.find("API key   last used on 2026-11-25; the service revokes it\n          unless it is used before ") !=
        std::string::npos);
  CHECK(report::report_text(report, 0).find("revokes it unless it is used before ") != std::string::npos);
}

TEST_CASE("the status of the secret says what is not known yet, and hides an estimate that the issuer contradicts") {
  report::SecretReport report;
  auto text = report::report_text(report, 0);
  CHECK(says(text, "Age       unknown until the first cycle\n"));
  CHECK(says(text, "Expires   unknown until the first cycle: set credentials.secret_expires_on\n"));
  CHECK(says(text, "API key   no use recorded yet\n"));
  report.issued = at("2026-11-28T08:00:00Z");
  report.expiry = core::Expiry{base::parse_date("2028-11-28").value(), core::ExpirySource::issue, true};
  text = report::report_text(report, 0);
  CHECK(says(text, "Age       set on 2026-11-28\n"));
  CHECK(says(text, "Expires   2028-11-28; two years"));
  report.refusal = "the client secret has expired (AADSTS7000222)";
  text = report::report_text(report, 0);
  CHECK(says(text, "Expires   unknown: the issuer refuses the secret\n"));
  CHECK_FALSE(says(text, "2028"));
}

}  // namespace
