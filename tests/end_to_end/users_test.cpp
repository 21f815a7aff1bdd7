// Several users and processes at one state directory, and how a command ends that is interrupted.
#include "end_to_end/daemon_site.hpp"
#include "support/skip.hpp"

#include <doctest/doctest.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace vtmirror::test;

namespace {

uid_t owner_of(const fs::path& path) {
  struct stat status {};
  return ::lstat(path.c_str(), &status) == 0 ? status.st_uid : static_cast<uid_t>(-1);
}

/// Everything below a directory that does not belong to the user.
std::string not_of(uid_t user, const fs::path& directory) {
  std::string others;
  for (const auto& each : fs::recursive_directory_iterator(directory))
    if (owner_of(each.path()) != user) others += each.path().string() + "\n";
  return others;
}

std::vector<std::string> as_nobody(std::vector<std::string> command) {
  command.insert(command.begin(), {"setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups"});
  return command;
}

/// A service whose state directory is nobody's, and whose secrets are root's.
struct NobodysSite : Site {
  explicit NobodysSite(const passwd& nobody) {
    fs::permissions(rig.directory(), fs::perms(0755));
    fs::create_directories(state);
    give_to(nobody, state);
    write_file(rig.config(), read_file(rig.config()) + "[[hook]]\non = [\"cycle\"]\ncommand = [\"/bin/sh\", \"-c\", " +
                                 "\"id -un >>" + (state / "hook").string() + "; echo $HOME >>" +
                                 (state / "hook").string() + "\"]\n");
  }
  static void give_to(const passwd& user, const fs::path& path) {
    REQUIRE(::chown(path.c_str(), user.pw_uid, user.pw_gid) == 0);
  }
  fs::path state = rig.directory() / "config/state";
};

}  // namespace

TEST_CASE("root works as the user to whom the state directory belongs, and leaves nothing that this user cannot use") {
  if (::geteuid() != 0) return skip("only root can become another user");
  const auto* nobody = ::getpwnam("nobody");
  if (nobody == nullptr) return skip("there is no user nobody here");
  NobodysSite site(*nobody);
  const auto line = "vtmirror: working as user nobody, to whom " + site.state.string() + " belongs\n";

  const auto planned = site.rig.vtmirror({"sync", "--dry-run"});
  CHECK(planned.status == 0);
  CHECK(has(planned.err, line));
  CHECK(fs::is_empty(site.state));
  for (const std::vector<std::string>& command : {std::vector<std::string>{"sync"},
                                                  {"verify"},
                                                  {"prune"},
                                                  {"secret", "status"},
                                                  {"secret", "rotate"},
                                                  {"notify", "test"}}) {
    const auto ended = site.rig.vtmirror(command);
    CAPTURE(command.back());
    CAPTURE(ended.err);
    CHECK(ended.status == 0);
    CHECK(has(ended.err, line));
    CHECK(not_of(nobody->pw_uid, site.state) == "");
  }
  const auto offered = site.rig.vtmirror({"next", "warehouse", "--json"});
  CHECK(offered.status == 0);
  CHECK(has(offered.err, line));
  CHECK(not_of(nobody->pw_uid, site.state) == "");
  const auto ticket = std::string(json::parse(offered.out).at("ticket").as_string());
  const auto loaded = site.rig.vtmirror({"ack", "warehouse", ticket});
  CHECK(loaded.status == 0);
  CHECK(has(loaded.err, line));
  CHECK(not_of(nobody->pw_uid, site.state) == "");
  CHECK(read_file(site.state / "hook").starts_with(std::string("nobody\n") + nobody->pw_dir + "\n"));
  CHECK(site.rig.held() == site.rig.upstream());

  if (run(as_nobody({"test", "-x", VTMIRROR_PROGRAM})).status != 0)
    return skip("nobody may not run " + std::string(VTMIRROR_PROGRAM));
  for (const auto* secret : {"client_secret", "api_key"})
    site.give_to(*nobody, site.rig.directory() / "config" / secret);
  const auto after = run(as_nobody(site.rig.command_line({"sync"})));
  CAPTURE(after.err);
  CHECK(after.status == 0);
  CHECK_FALSE(has(after.err, "working as"));
}

TEST_CASE("a user who may not read the catalogue or ask the daemon learns who may") {
  if (::geteuid() != 0) return skip("only root can become another user");
  if (run(as_nobody({"test", "-x", VTMIRROR_PROGRAM})).status != 0)
    return skip("nobody may not run " + std::string(VTMIRROR_PROGRAM));
  Site site;
  for (const auto& open : {site.rig.directory(), site.rig.directory() / "config"})
    fs::permissions(open, fs::perms(0755));
  fs::permissions(site.rig.config(), fs::perms(0644));
  REQUIRE(site.rig.vtmirror({"sync"}).status == 0);
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"files"}, {"coverage"}, {"history"}, {"cat", "bulk"}, {"wait"}, {"consumers"}}) {
    const auto ended = run(as_nobody(site.rig.command_line(command)));
    CAPTURE(command.front());
    CAPTURE(ended.err);
    CHECK(ended.status == (command.front() == "cat" ? 1 : 2));
    CHECK(has(ended.err, "vtmirror: mirror.catalogue cannot be read: "));
    CHECK(has(ended.err, "\nvtmirror: it belongs to user root: run this as that user, or with sudo\n"));
  }
  site.start();
  const auto waited = run(as_nobody(site.rig.command_line({"wait", "--timeout", "1s"})));
  CHECK(waited.status == 1);
  CHECK(has(waited.err, "vtmirror: not allowed to ask the daemon at "));
  CHECK_FALSE(has(waited.err, "credentials"));
  CHECK(site.stop().status == 0);
}

TEST_CASE("config check and config init by root name a file that the daemon's user cannot read, and what to do") {
  if (::geteuid() != 0) return skip("only root can become another user");
  const auto* nobody = ::getpwnam("nobody");
  if (nobody == nullptr) return skip("there is no user nobody here");
  NobodysSite site(*nobody);
  const auto hidden = site.rig.directory() / "hidden";
  fs::create_directories(hidden);
  const auto config = read_file(site.rig.config());
  const auto begin = config.find("ca_file = \"") + 11;
  const auto ca_file = config.substr(begin, config.find('"', begin) - begin);
  fs::copy_file(ca_file, hidden / "ca.pem");
  fs::permissions(hidden, fs::perms(0700));
  auto changed = config;
  changed.replace(begin, ca_file.size(), (hidden / "ca.pem").string());
  write_file(site.rig.config(), changed);

  const auto checked = site.rig.vtmirror({"config", "check"});
  CAPTURE(checked.err);
  CHECK(checked.status == 2);
  CHECK(has(checked.err, "service.ca_file: " + (hidden / "ca.pem").string() +
                             ": user nobody, as whom the daemon runs, cannot read it: Permission denied; copy it"));
  CHECK(has(checked.err, "client_secret: user nobody, as whom the daemon runs, cannot read it"));
  CHECK(has(checked.err, "store it in /etc/credstore/vtmirror.client_secret and remove this setting"));

  const auto made =
      site.rig.vtmirror({"config", "init", "--output", site.rig.config().string(), "--force", "--client-id", "me"});
  CAPTURE(made.err);
  CHECK(made.status == 2);
  CHECK(has(made.err, "service.ca_file: " + (hidden / "ca.pem").string() + ": user nobody, as whom the daemon runs"));
  CHECK(read_file(site.rig.config()) == changed);

  fs::permissions(hidden, fs::perms(0755));
  fs::permissions(hidden / "ca.pem", fs::perms(0644));
  for (const auto* secret : {"client_secret", "api_key"})
    site.give_to(*nobody, site.rig.directory() / "config" / secret);
  // The daemon makes its socket there.
  fs::permissions(site.rig.directory() / "config", fs::perms(0755));
  site.give_to(*nobody, site.rig.directory() / "config");
  const auto mended = site.rig.vtmirror({"config", "check"});
  CAPTURE(mended.err);
  CHECK(mended.status == 0);
}

TEST_CASE("two processes never write one catalogue, also when the mirror was moved away under the first") {
  Site site;
  site.start();
  Events(site.socket).state("idle");
  const auto elsewhere = (site.rig.directory() / "nobody.sock").string();
  fs::rename(site.rig.mirror(), site.rig.directory() / "away");
  for (const std::vector<std::string>& command : {std::vector<std::string>{"sync", "--socket", elsewhere},
                                                  {"sync", "--dry-run", "--socket", elsewhere},
                                                  {"run", "--socket", elsewhere}}) {
    const auto ended = site.rig.vtmirror(command);
    CAPTURE(ended.err);
    CHECK(ended.status == 4);
    CHECK(has(ended.err, "held by vtmirror run, process " + std::to_string(site.daemon->pid())));
  }
  CHECK_FALSE(fs::exists(site.rig.mirror()));
  fs::rename(site.rig.directory() / "away", site.rig.mirror());
  CHECK(site.stop().status == 0);
  CHECK(site.rig.vtmirror({"sync"}).status == 0);
}

TEST_CASE("a mirror whose disk is not mounted is not filled again, unless somebody says so") {
  Site site;
  REQUIRE(site.rig.vtmirror({"sync"}).status == 0);
  const auto downloaded = site.rig.requests("store").size();
  const auto away = site.rig.directory() / "away";
  fs::rename(site.rig.mirror(), away);
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"sync", "--dry-run"}, {"sync"}, {"run"}, {"sync"}}) {
    const auto ended = site.rig.vtmirror(command);
    CAPTURE(ended.err);
    CHECK(ended.status == 2);
    CHECK(
        has(ended.err, "mirror.directory cannot be used: " + site.rig.mirror().string() + " has none of the 5 files"));
    CHECK(has(ended.err, "vtmirror sync --refill"));
  }
  const auto other = "v1/public/delta/year=2020/month=01/day=01/delta-light-vehicle_01-01-2020.zip";
  fs::create_directories((site.rig.mirror() / other).parent_path());
  write_file(site.rig.mirror() / other, "a file of another mirror");
  CHECK(site.rig.vtmirror({"sync"}).status == 2);
  CHECK(site.rig.requests("store").size() == downloaded);

  fs::remove_all(site.rig.mirror());
  fs::rename(away, site.rig.mirror());
  CHECK(site.rig.vtmirror({"sync"}).status == 0);
  CHECK(site.rig.held() == site.rig.upstream());
  // Files that somebody removed from the mirror itself come back without a question.
  fs::remove_all(site.rig.mirror() / "v1");
  CHECK(site.rig.vtmirror({"sync"}).status == 0);
  CHECK(site.rig.held() == site.rig.upstream());
  fs::rename(site.rig.mirror(), away);
  CHECK(site.rig.vtmirror({"sync", "--refill"}).status == 0);
  CHECK(site.rig.held() == site.rig.upstream());
}

TEST_CASE("Ctrl-C ends every command with 130, and the daemon too") {
  Site site(R"(, "faults": [{"at": "store", "rate": 20000, "times": 0}])");
  Child cycle(site.rig.command_line({"sync"}));
  REQUIRE(cycle.read_until([](const Ended& so_far) { return has(so_far.err, "downloading"); }));
  cycle.signal(SIGINT);
  CHECK(cycle.wait().status == 130);

  site.start();
  Child watch(site.rig.command_line({"status", "--watch"}));
  REQUIRE(watch.read_until([](const Ended& so_far) { return has(so_far.out, "\n"); }));
  watch.signal(SIGINT);
  CHECK(watch.wait().status == 130);
  CHECK(site.stop(SIGINT).status == 130);
}

TEST_CASE("a command whose reader has gone ends without a word") {
  Site site;
  site.start();
  Events(site.socket).state("idle");
  auto line = site.rig.command_line({"status", "--watch"});
  line.insert(line.begin(), {"/bin/sh", "-c", "\"$@\" | head -n 1", "sh"});
  Child watch(line);
  REQUIRE(watch.read_until([](const Ended& so_far) { return has(so_far.out, "\n"); }));
  REQUIRE(site.rig.vtmirror({"sync"}).status == 0);  // the next lines, which nobody reads
  const auto ended = watch.wait();
  CHECK(ended.status == 0);
  CHECK(ended.err.empty());
  CHECK(site.stop().status == 0);
}

TEST_CASE("a check of the status with a typing error is an unknown state") {
  Site site;
  const auto ended = site.rig.vtmirror({"status", "--check", "--typo"});
  CHECK(ended.status == 3);
  CHECK(ended.out == "VTMIRROR UNKNOWN - unknown option --typo\n");
}
