// What cannot work is refused at the start, with the reason and what to do, and nothing is touched.
#include "end_to_end/daemon_site.hpp"

#include <doctest/doctest.h>
#include <sqlite3.h>
#include <unistd.h>

#include <algorithm>
#include <sstream>

using namespace vtmirror::test;

namespace {

/// Both commands that work: as a service, and by hand.
void refused(Site& site, int status, const std::vector<std::string>& reasons) {
  for (const auto* command : {"run", "sync"}) {
    const auto ended = site.rig.vtmirror({command});
    CAPTURE(std::string(command));
    CAPTURE(ended.err);
    CHECK(ended.status == status);
    for (const auto& reason : reasons) CHECK(has(ended.err, reason));
  }
}

std::string quoted(const fs::path& path) { return "\"" + path.string() + "\""; }

/// "FILE:LINE:COLUMN: " of the first value of that key.
std::string place_of(const Site& site, const std::string& key) {
  std::istringstream lines(read_file(site.rig.config()));
  int number = 1;
  for (std::string line; std::getline(lines, line); ++number)
    if (line.starts_with(key + " = "))
      return site.rig.config().string() + ":" + std::to_string(number) + ":" + std::to_string(key.size() + 4) + ": ";
  return "no line for " + key;
}

}  // namespace

TEST_CASE("an unknown time zone and an impossible time are refused with their line, and with what is meant") {
  Site site;
  site.rig.set("schedule", "time_zone", "\"Europe/Atlantis\"");
  refused(site, 2, {"Europe/Atlantis", "vtmirror.toml:"});
  site.rig.set("schedule", "time_zone", "\"Europe/London\"");
  for (const auto* time : {"25:00", "08:60", "8am", "24:00", "-1:00", ""}) {
    CAPTURE(time);
    site.rig.set("schedule", "at", "\"" + std::string(time) + "\"");
    refused(site, 2, {"schedule.at", "vtmirror.toml:"});
  }
  CHECK(site.rig.requests().empty());
}

TEST_CASE("a directory that cannot be used is reported with its key, and does not count as a failure to retry") {
  Site site;
  // Root may write everywhere but below a plain file.
  write_file(site.rig.directory() / "file", "");
  const auto below = site.rig.directory() / "file/mirror";
  site.rig.set("mirror", "directory", quoted(below));
  refused(site, 2, {"mirror.directory cannot be used", below.string(), "give this process's user write access"});
  Site other;
  write_file(other.rig.directory() / "file", "");
  other.rig.set("mirror", "catalogue", quoted(other.rig.directory() / "file/catalogue.db"));
  refused(other, 2, {"mirror.catalogue cannot be used", (other.rig.directory() / "file").string()});
  CHECK(other.rig.requests().empty());
  Site third;
  write_file(third.rig.directory() / "file", "");
  const auto state = third.rig.directory() / "file/state";
  third.rig.set("mirror", "state_directory", quoted(state));
  refused(third, 2, {state.string(), "give this process's user write access"});
  CHECK(has(third.rig.vtmirror({"sync"}).err, "mirror.state_directory cannot be used"));
  CHECK(third.rig.requests().empty());
}

TEST_CASE("a symlink that leads nowhere in the place of the mirror is called that") {
  Site site;
  const auto link = site.rig.directory() / "link";
  fs::create_symlink("/nowhere/mirror", link);
  site.rig.set("mirror", "directory", quoted(link));
  refused(site, 2, {"mirror.directory cannot be used", link.string() + " is a symlink to a path that does not exist"});
}

TEST_CASE("a group that is not there is named with its key, by the check of the settings too") {
  Site site;
  site.rig.set("control", "group", "\"nobody-has-this\"");
  for (const std::vector<std::string>& command : {std::vector<std::string>{"run"}, {"config", "check"}}) {
    const auto ended = site.rig.vtmirror(command);
    CAPTURE(ended.err);
    CHECK(ended.status == 2);
    CHECK(has(ended.err, "control.group: there is no group nobody-has-this"));
    if (command.size() > 1) CHECK(has(ended.err, place_of(site, "group") + "control.group: "));
  }
}

TEST_CASE("the check of the settings refuses what the daemon would: secrets that are missing or open to others") {
  Site site;
  const auto check = [&](const std::string& reason) {
    const auto ended = site.rig.vtmirror({"config", "check"});
    CAPTURE(ended.err);
    CHECK(ended.status == 2);
    CHECK(has(ended.err, place_of(site, "api_key_file") + "credentials.api_key_file: " + reason));
  };
  REQUIRE(site.rig.vtmirror({"config", "check"}).status == 0);
  const auto key = site.rig.directory() / "config/api_key";
  fs::permissions(key, fs::perms(0640));
  check("the file " + key.string() + " can be read or changed by others");
  fs::permissions(key, fs::perms(0600));
  site.rig.set("credentials", "api_key_file", quoted(site.rig.directory() / "config/none"));
  check("there is no " + (site.rig.directory() / "config/none").string());
}

TEST_CASE("the check of the settings warns of programs that cannot be started, which the daemon survives") {
  Site site;
  const auto plain = site.rig.directory() / "plain";
  write_file(plain, "");
  site.rig.set("notify", "sendmail", quoted(site.rig.directory() / "none"));
  REQUIRE(site.rig.vtmirror({"config", "check"}).err.empty());  // it sends nothing
  site.rig.set("notify", "mail_to", "[\"a@b.example\"]");
  write_file(site.rig.config(), read_file(site.rig.config()) + "[[hook]]\non = [\"cycle\"]\ncommand = [" +
                                    quoted(plain) + "]\n[[hook]]\non = [\"cycle\"]\ncommand = [\"/bin/true\"]\n");
  const auto ended = site.rig.vtmirror({"config", "check"});
  CAPTURE(ended.err);
  CHECK(ended.status == 0);
  CHECK(has(ended.err, place_of(site, "sendmail") + "warning: notify.sendmail: " +
                           (site.rig.directory() / "none").string() + ": No such file or directory\n"));
  CHECK(has(ended.err,
            place_of(site, "command") + "warning: hook.command: " + plain.string() + " is not an executable file\n"));
  CHECK(has(ended.out, ": no mistakes, but 2 warnings\n"));
  CHECK(std::count(ended.err.begin(), ended.err.end(), '\n') == 2);
}

TEST_CASE("a socket that cannot be used is named with its key, and not taken for a fault of the mirror's disk") {
  Site site;
  const auto fails = [&](const fs::path& socket, const std::string& reason) {
    site.rig.set("control", "socket", quoted(socket));
    const auto ended = site.rig.vtmirror({"run"});
    CAPTURE(ended.err);
    CHECK(ended.status == 2);
    CHECK(has(ended.err, reason));
    CHECK(has(ended.err, "control.socket"));
    CHECK_FALSE(has(ended.err, "mirror.directory"));
  };
  const auto missing = site.rig.directory() / "missing/control.sock";
  fails(missing, missing.string());
  write_file(site.rig.directory() / "file", "");
  fails(site.rig.directory() / "file/control.sock", "file/control.sock");
  fails(site.rig.directory() / "file", "exists and is not a socket");
  const auto occupied = site.rig.directory() / "occupied.sock";
  const Socket listener(SOCK_STREAM);
  listener.bind(occupied);
  listener.listen();
  fails(occupied, "another process listens there");
  CHECK(fs::is_socket(occupied));
  CHECK(site.rig.requests().empty());
}

TEST_CASE("the catalogue of a newer program, and a database of another one, are left as they are") {
  Site site;
  REQUIRE(site.rig.vtmirror({"sync"}).status == 0);
  const auto path = site.rig.directory() / "config/state/catalogue.db";
  const auto change = [&](const char* sql) {
    sqlite3* database = nullptr;
    REQUIRE(sqlite3_open(path.c_str(), &database) == SQLITE_OK);
    REQUIRE(sqlite3_exec(database, sql, nullptr, nullptr, nullptr) == SQLITE_OK);
    sqlite3_close(database);
  };
  const auto held = site.rig.held();
  change("PRAGMA user_version = 99");
  refused(site, 2, {"has version 99", "install a newer vtmirror"});
  change("PRAGMA user_version = 1; PRAGMA application_id = 7");
  refused(site, 2, {"belongs to another application"});
  for (const auto& each : fs::directory_iterator(path.parent_path()))
    CHECK_FALSE(has(each.path().filename().string(), "broken"));
  CHECK(site.rig.held() == held);
}

TEST_CASE("a version or a help that cannot be written is a failure that says why") {
  for (const std::string words : {"--version", "--help", "help sync", "sync --help"}) {
    CAPTURE(words);
    const auto ended = run({"sh", "-c", std::string(VTMIRROR_PROGRAM) + ' ' + words + " > /dev/full"});
    CHECK(ended.status == 1);
    CHECK(has(ended.err, "not all of the output could be written"));
  }
}
