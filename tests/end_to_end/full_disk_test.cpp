// A disk that is full when the daemon starts is a problem in its status and a pause, not its end; and one that cannot
// be read blames no file.
#include "end_to_end/daemon_site.hpp"
#include "end_to_end/state_disk.hpp"
#include "end_to_end/traced.hpp"
#include "support/skip.hpp"

#include <doctest/doctest.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <memory>
#include <regex>
#include <string>
#include <vector>

using namespace vtmirror::test;

namespace {

/// A mail program that adds what it is given to a file.
fs::path mail_of(Site& site) {
  auto mail = site.rig.directory() / "mail";
  const auto sendmail = site.rig.directory() / "sendmail";
  write_file(sendmail, "#!/bin/sh\ncat >>" + mail.string() + "\n");
  fs::permissions(sendmail, fs::perms::owner_all);
  site.rig.set("notify", "mail_to", R"(["ops@fleet.example"])");
  site.rig.set("notify", "sendmail", '"' + sendmail.string() + '"');
  return mail;
}

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) ++count;
  return count;
}

/// A daemon whose catalogue can be opened, and whose start waits.
void start_without_room(Site& site, const StateDisk& disk) {
  REQUIRE(site.rig.vtmirror({"sync"}).status == 0);
  fs::remove(disk.reserve());
  disk.fill();
  // Another subscription is written at the start.
  site.rig.set("notify", "webhook", "\"http://127.0.0.1:9/\"");
  site.start();
  REQUIRE(site.logged("the start waits for room on the disk"));
}

}  // namespace

TEST_CASE("a disk that is full when the daemon starts is a problem in its status, and the daemon waits for room") {
  Site site;
  const StateDisk disk(site.rig.directory() / "config/state");
  if (!disk.reason().empty()) return skip(disk.reason());
  start_without_room(site, disk);
  const auto status = site.status();
  CHECK(status.at("state").as_string() == "starting");
  REQUIRE(has_problem(status, "low_space"));
  const auto& problem = status.at("problems").as_array().at(0).as_object();
  CHECK(has(std::string(problem.at("advice").as_string()), "make room"));
  CHECK_FALSE(has(std::string(problem.at("advice").as_string()), "reserve"));
  CHECK(site.stop().status == 0);
}

TEST_CASE("a start that waits for room answers each command with its reason, and `sync` starts it again") {
  Site site;
  const StateDisk disk(site.rig.directory() / "config/state");
  if (!disk.reason().empty()) return skip(disk.reason());
  start_without_room(site, disk);
  for (const std::vector<std::string>& command : {std::vector<std::string>{"sync"},
                                                  {"sync", "--json"},
                                                  {"sync", "--dry-run"},
                                                  {"verify"},
                                                  {"prune"},
                                                  {"next", "warehouse"}}) {
    const auto ended = site.rig.vtmirror(command);
    CAPTURE(command.back());
    CAPTURE(ended.err);
    CHECK(ended.status == 1);
    CHECK(has(ended.err, "the start waits for room on the disk: "));
    CHECK(has(ended.err, "; next try "));
    CHECK(has(ended.err, "make room on that disk"));
    CHECK_FALSE(has(ended.err, "following its cycle"));
  }
  CHECK(has(site.rig.vtmirror({"status"}).out, "next try "));
  fs::remove(site.rig.directory() / "config/state/filler");
  const auto ended = site.rig.vtmirror({"sync"});
  CAPTURE(ended.err);
  CHECK(ended.status == 0);
  CHECK_FALSE(has_problem(site.status(), "low_space"));
  CHECK(site.stop().status == 0);
}

TEST_CASE("a disk that becomes full while the daemon runs is reported by mail while it is full") {
  Site site;
  const StateDisk disk(site.rig.directory() / "config/state");
  if (!disk.reason().empty()) return skip(disk.reason());
  const auto mail = mail_of(site);
  site.start();
  REQUIRE(site.logged("next wake-up "));
  const auto kept = fs::file_size(disk.reserve());
  disk.fill();
  CHECK(site.rig.vtmirror({"sync"}).status == 1);
  REQUIRE(site.logged("mail to ops@fleet.example delivered "));
  CHECK(has(read_file(mail), "full"));
  // Nobody made room, and half of what is kept is left to the next start.
  CHECK(fs::space(site.rig.directory() / "config/state").available < kept);
  CHECK(fs::file_size(disk.reserve()) >= kept / 2);
  CHECK(site.stop().status == 0);
}

TEST_CASE("on a full disk a verification reads on, and a damaged file leaves the chain") {
  Site site;
  const StateDisk disk(site.rig.directory() / "config/state");
  if (!disk.reason().empty()) return skip(disk.reason());
  site.start();
  REQUIRE(site.logged("next wake-up "));
  disk.fill();
  const auto fine = site.rig.vtmirror({"verify"});
  CAPTURE(fine.err);
  CHECK(fine.status == 0);
  CHECK(has(fine.err, "verified 5 files"));
  const auto name = site.rig.held().rbegin()->first;
  std::fstream file(site.rig.mirror() / name, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(1'000);
  file << "damaged";
  file.close();
  const auto found = site.rig.vtmirror({"verify"});
  CAPTURE(found.err);
  CHECK(found.status == 1);
  CHECK(has(found.err, " is damaged: "));
  CHECK(has(found.err, "verified 5 files"));
  CHECK_FALSE(has(read_file(site.rig.mirror() / "SHA256SUMS"), name));
  CHECK(site.stop().status == 0);
}

TEST_CASE("a first cycle that a full disk keeps from being recorded is the last one all the same, and critical") {
  Site site;
  const StateDisk disk(site.rig.directory() / "config/state");
  if (!disk.reason().empty()) return skip(disk.reason());
  site.rig.set("download", "rate_limit", "\"1 MB/s\"");
  site.start();
  REQUIRE(site.logged("published delta"));
  disk.fill();
  fs::remove(disk.reserve());
  disk.fill();
  REQUIRE(site.logged("next try "));
  CHECK(site.status().at("last_cycle").is_object());
  const auto checked = site.rig.vtmirror({"status", "--check"});
  CAPTURE(checked.out);
  CHECK(checked.status == 2);
  const auto ended = site.rig.vtmirror({"sync"});
  CAPTURE(ended.err);
  CHECK(ended.status == 1);
  CHECK(has(ended.err, "make room on that disk"));
  CHECK(has(ended.err, "next try "));
  CHECK(site.stop().status == 0);
}

TEST_CASE(
    "a daemon that starts on a full disk notifies a person through the channels that it had, and through new ones") {
  for (const bool is_new : {false, true}) {
    CAPTURE(is_new);
    Site site;
    const StateDisk disk(site.rig.directory() / "config/state");
    if (!disk.reason().empty()) return skip(disk.reason());
    if (is_new) REQUIRE(site.rig.vtmirror({"sync"}).status == 0);
    const auto mail = mail_of(site);
    if (!is_new) REQUIRE(site.rig.vtmirror({"sync"}).status == 0);
    disk.fill();
    site.start();
    REQUIRE(site.logged("next wake-up "));
    // Also what the start did not need of the room that was kept.
    disk.fill();
    CHECK(site.rig.vtmirror({"sync"}).status == 1);
    REQUIRE(site.logged("mail to ops@fleet.example delivered "));
    CHECK(has(read_file(mail), "full"));
    CHECK(site.stop().status == 0);
  }
}

TEST_CASE("a disk that is full before anything was made is no fault of the settings") {
  Site site;
  const StateDisk disk(site.rig.directory() / "config/state");
  if (!disk.reason().empty()) return skip(disk.reason());
  disk.fill();
  for (const std::vector<std::string>& command : {std::vector<std::string>{"sync"}, {"secret", "status"}}) {
    const auto ended = site.rig.vtmirror(command);
    CAPTURE(ended.err);
    CHECK(ended.status == 1);
    CHECK(has(ended.err, "No space left on device"));
    CHECK_FALSE(has(ended.err, "config check"));
  }
}

TEST_CASE("a disk that is full before there is a catalogue is waited for, and a signal ends the wait") {
  Site site;
  const StateDisk disk(site.rig.directory() / "config/state");
  if (!disk.reason().empty()) return skip(disk.reason());
  disk.fill();
  site.daemon = std::make_unique<Child>(site.rig.command_line({"run"}));
  REQUIRE(site.logged("the start waits for room on the disk"));
  CHECK(has(site.daemon->so_far().err, "next try in 1m"));
  CHECK(site.stop().status == 0);
}

TEST_CASE("a start that waits for room is reported by mail once, and once more when there is room") {
  Site site;
  const StateDisk disk(site.rig.directory() / "config/state");
  if (!disk.reason().empty()) return skip(disk.reason());
  const auto mail = mail_of(site);
  disk.fill();
  site.daemon = std::make_unique<Child>(site.rig.command_line({"run"}));
  REQUIRE(site.logged("mail to ops@fleet.example delivered \"the start waits for room on the disk: "));
  CHECK(has(read_file(mail), "\n\nthe start waits for room on the disk: "));
  CHECK(has(read_file(mail), "What to do: make room on that disk"));
  fs::remove(site.rig.directory() / "config/state/filler");
  site.daemon->signal(SIGHUP);
  REQUIRE(site.logged("mail to ops@fleet.example delivered \"resolved: the start waited for room on the disk: "));
  REQUIRE(site.logged("next wake-up "));
  CHECK(site.stop().status == 0);
  CHECK(count_of(read_file(mail), "Subject: ") == 2);
}

TEST_CASE("a start that waits for room to record a new channel notifies that channel once") {
  Site site;
  const StateDisk disk(site.rig.directory() / "config/state");
  if (!disk.reason().empty()) return skip(disk.reason());
  REQUIRE(site.rig.vtmirror({"sync"}).status == 0);
  const auto mail = mail_of(site);
  fs::remove(disk.reserve());
  disk.fill();
  site.start();
  REQUIRE(site.logged("mail to ops@fleet.example delivered \"the start waits for room on the disk: "));
  CHECK(site.stop().status == 0);
  CHECK(count_of(read_file(mail), "Subject: ") == 1);
  CHECK(count_of(site.daemon->so_far().err, "the start waits for room") == 2);
}

TEST_CASE("a start on a full disk opens the catalogue with the room that was kept, again and again") {
  Site site;
  const StateDisk disk(site.rig.directory() / "config/state");
  if (!disk.reason().empty()) return skip(disk.reason());
  REQUIRE(site.rig.vtmirror({"sync"}).status == 0);
  CHECK(fs::exists(site.rig.directory() / "config/state/catalogue.db.reserve"));
  for (int start = 0; start < 3; ++start) {
    CAPTURE(start);
    disk.fill();
    // Also without what the last process left for the next one.
    fs::remove(site.rig.directory() / "config/state/catalogue.db-shm");
    disk.fill();
    site.start();
    CHECK(site.status().at("mirror").at("files").to_number<int>() == 5);
    CHECK(site.stop().status == 0);
  }
}

TEST_CASE("a start on a full disk frees the space of what was superseded more than 24 hours ago") {
  Site site;
  const StateDisk disk(site.rig.directory() / "config/state");
  if (!disk.reason().empty()) return skip(disk.reason());
  REQUIRE(site.rig.vtmirror({"sync"}).status == 0);
  const auto own = site.rig.mirror() / ".vtmirror";
  const std::string digest(64, 'a');
  fs::create_directories(own / "held");
  write_file(own / "held" / digest, std::string(1 << 20, 'x'));
  write_file(own / "superseded", "2026-01-01T00:00:00Z held/" + digest + "\n");
  fs::remove(site.rig.mirror() / "SHA256SUMS");
  fs::remove(disk.reserve());
  disk.fill();
  CHECK(site.rig.vtmirror({"sync"}).status == 0);
  CHECK_FALSE(fs::exists(own / "held" / digest));
}

TEST_CASE("a disk that cannot be read during a check does not condemn the file, and it is not downloaded again") {
  if (const auto why = cannot_trace()) return skip(*why);
  Site site;
  REQUIRE(site.rig.vtmirror({"sync"}).status == 0);
  const auto held = site.rig.held();
  const auto partials = site.rig.mirror() / ".vtmirror/partial";
  const auto trace = site.rig.directory() / "trace";
  int injected = 0;
  for (int read = 1; read <= 8; ++read) {
    CAPTURE(read);
    fs::remove_all(site.rig.directory() / "config/state");
    std::vector<std::string> rules{"-e", "trace=pread64"};
    for (const auto& [name, bytes] : held)
      rules.insert(rules.end(), {"-P", (partials / std::regex_replace(name, std::regex("/"), "%2F")).string()});
    rules.insert(rules.end(), {"-e", "inject=pread64:error=EIO:when=" + std::to_string(read) + "+"});
    const auto ended = run_traced(site.rig, "sync", rules, trace);
    CAPTURE(ended.err);
    CHECK(ended.status <= 1);
    CHECK_FALSE(has(ended.err, "quarantined"));
    CHECK_FALSE(has(ended.err, "once more"));
    injected += has(read_file(trace), "INJECTED") ? 1 : 0;
  }
  CHECK(injected >= 2);
}
