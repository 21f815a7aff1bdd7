// Webhook and heartbeat at an nginx with TLS, and hooks that are real programs, through cycles, stops and kills.
#include "end_to_end/daemon_site.hpp"
#include "end_to_end/listener.hpp"
#include "end_to_end/rig.hpp"
#include "support/certificate.hpp"
#include "support/skip.hpp"

#include <doctest/doctest.h>
#include <unistd.h>

#include <signal.h>

#include <algorithm>
#include <fstream>

using namespace vtmirror::test;
namespace fs = std::filesystem;

namespace {

/// Answers every request with a status that the test may change, and logs each with its Idempotency-Key.
class Receiver {
 public:
  explicit Receiver(Rig& rig, const std::string& certificate, const std::string& key)
      : root_(rig.directory() / "receiver") {
    fs::create_directories(root_ / "temp");
    write_file(root_ / "server.pem", certificate);
    write_file(root_ / "server.key", key);
    write_file(root_ / "nginx.conf", configuration());
    nginx_ = std::make_unique<Child>(std::vector<std::string>{"/usr/sbin/nginx", "-p", root_.string(), "-c",
                                                              (root_ / "nginx.conf").string(), "-e", "stderr"},
                                     std::vector<std::string>{"NGINX=" + std::to_string(listener_.socket()) + ";"});
  }

  std::string origin() const { return "https://localhost:" + std::to_string(listener_.port()); }
  void be_broken(bool broken) {
    if (broken)
      write_file(root_ / "broken", "");
    else
      fs::remove(root_ / "broken");
  }
  /// A line for each request: method, address, status, key.
  std::vector<std::string> log() const {
    std::vector<std::string> all;
    std::ifstream file(root_ / "access.log");
    for (std::string line; std::getline(file, line);) all.push_back(line);
    return all;
  }

 private:
  std::string configuration() const {
    const auto at = [this](const std::string& name) { return (root_ / name).string(); };
    return "daemon off; user root; worker_processes 1; pid " + at("pid") + ";\nevents {}\nhttp {\n" +
           "log_format short '$request_method $request_uri $status $http_idempotency_key';\naccess_log " +
           at("access.log") + " short;\nclient_body_temp_path " + at("temp") + "; proxy_temp_path " + at("temp") +
           "; fastcgi_temp_path " + at("temp") + "; uwsgi_temp_path " + at("temp") + "; scgi_temp_path " + at("temp") +
           ";\nserver {\nlisten 127.0.0.1:" + std::to_string(listener_.port()) + " ssl;\nssl_certificate " +
           at("server.pem") + "; ssl_certificate_key " + at("server.key") + ";\nlocation / { if (-f " + at("broken") +
           ") { return 500; } return 204; }\n}\n}\n";
  }

  fs::path root_;
  Listener listener_;
  std::unique_ptr<Child> nginx_;
};

/// A file of the simulator's certificate, whose authority the rig's settings trust.
std::string trusted(const Rig& rig, const std::string& name) { return read_file(rig.directory() / "simulator" / name); }

bool says(const std::string& text, const std::string& words) { return text.find(words) != std::string::npos; }

std::vector<std::string> lines_of(const fs::path& path) {
  std::vector<std::string> all;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) all.push_back(line);
  return all;
}

TEST_CASE("a webhook over verified TLS gets everything, again with the same keys after it was broken, and each once") {
  if (const auto why = absent("nginx", "nginx")) return skip(*why);
  Rig rig;
  Receiver receiver(rig, trusted(rig, "server.pem"), trusted(rig, "server.key"));
  rig.set("notify", "webhook", '"' + receiver.origin() + "/services/T0KEN?key=S3CRET\"");
  receiver.be_broken(true);
  const auto broken = rig.vtmirror({"sync"});
  INFO(broken.out, broken.err);
  CHECK(broken.status == 0);
  CHECK(says(broken.err, "HTTP 500 from localhost:"));
  CHECK_FALSE(says(broken.err + broken.out, "T0KEN"));
  CHECK_FALSE(says(broken.err + broken.out, "S3CRET"));
  const auto first = receiver.log();
  REQUIRE(first.size() == 7);  // 5 files, the chain and the cycle
  receiver.be_broken(false);
  // The new cycle is reported at once. Since that delivery succeeds, the notices that were put off are sent too.
  CHECK(rig.vtmirror({"sync"}).status == 0);
  auto second = receiver.log();
  second.erase(second.begin(), second.begin() + 7);
  CHECK(second.size() == 8);
  for (const auto& line : first) {
    const auto key = line.substr(line.rfind(' '));
    CHECK(key.size() == 33);
    CHECK(std::count_if(second.begin(), second.end(),
                        [&](const auto& other) { return other.ends_with(" 204" + key); }) == 1);
  }
}

TEST_CASE("a webhook with an untrusted certificate gets no notice") {
  if (const auto why = absent("nginx", "nginx")) return skip(*why);
  Rig rig;
  const Authority stranger;
  const auto certificate = stranger.issue({});
  const Receiver receiver(rig, certificate.certificate, certificate.key);
  rig.set("notify", "webhook", '"' + receiver.origin() + "/services/T0KEN\"");
  const auto ended = rig.vtmirror({"notify", "test"});
  INFO(ended.out, ended.err);
  CHECK(ended.status == 1);
  CHECK(says(ended.out, "webhook: failed, localhost:"));
  CHECK_FALSE(says(ended.out, "T0KEN"));
  for (const auto& line : receiver.log()) CHECK_FALSE(says(line, "POST"));
}

TEST_CASE("a heartbeat follows each cycle, with /fail after one that is not complete") {
  if (const auto why = absent("nginx", "nginx")) return skip(*why);
  Rig rig;
  const Receiver receiver(rig, trusted(rig, "server.pem"), trusted(rig, "server.key"));
  rig.set("notify", "heartbeat", '"' + receiver.origin() + "/ping/4711\"");
  CHECK(rig.vtmirror({"sync"}).status == 0);
  rig.set("credentials", "client_id", "\"somebody-else\"");
  CHECK(rig.vtmirror({"sync"}).status == 1);
  CHECK(rig.vtmirror({"notify", "test"}).status == 0);
  CHECK(receiver.log() ==
        std::vector<std::string>{"GET /ping/4711 204 -", "GET /ping/4711/fail 204 -", "GET /ping/4711 204 -"});
}

TEST_CASE("a sync runs its hooks to their end, in the order of the publications, and a failing one fails no cycle") {
  Rig rig;
  add_hook(rig, R"(["published", "cycle"])",
           "echo $VTMIRROR_EVENT ${VTMIRROR_GENERATION-none} >> " + (rig.directory() / "logged").string() +
               "; test -e $VTMIRROR_DIRECTORY/${VTMIRROR_FILE-manifest.json}; exit $?");
  add_hook(rig, R"(["cycle"])", "exit 3");
  const auto ended = rig.vtmirror({"sync"});
  INFO(ended.out, ended.err);
  CHECK(ended.status == 0);
  CHECK(lines_of(rig.directory() / "logged") == std::vector<std::string>{"published 1", "published 2", "published 3",
                                                                         "published 4", "published 5", "cycle none"});
  CHECK(says(ended.err, "exit status 3; next try with the next run"));
  // Hooks may take hours, so the outcome of the cycle is printed before they end.
  CHECK(ended.err.find("vtmirror: complete: 5 files") < ended.err.find("exit status 3"));
}

TEST_CASE("a hook runs by default once after a cycle that changed the chain, and finds the manifest that says so") {
  Rig rig;
  const auto logged = rig.directory() / "logged";
  const auto config = read_file(rig.config());
  const auto script =
      "echo $VTMIRROR_EVENT $VTMIRROR_COMPLETE $VTMIRROR_THROUGH $VTMIRROR_GENERATION >> " + logged.string() +
      "; for name in $VTMIRROR_ADDED; do echo added $name >> " + logged.string() +
      "; done; sed -n 's/ *.generation.: \\([0-9]*\\),/manifest \\1/p; s/ *.session.: .\\(.*\\).,/\\1/p'"
      " $VTMIRROR_DIRECTORY/manifest.json >> " +
      logged.string() + "; echo $VTMIRROR_SESSION >> " + logged.string();
  write_file(rig.config(), config + "\n[[hook]]\ncommand = [\"/bin/sh\", \"-c\", '''" + script + "''']\n");
  const auto ended = rig.vtmirror({"sync"});
  INFO(ended.out, ended.err);
  CHECK(ended.status == 0);
  const auto lines = lines_of(logged);
  REQUIRE(lines.size() == 9);
  CHECK(lines[0] == "chain true 2026-11-18 5");
  for (std::size_t n = 1; n <= 5; ++n) CHECK(lines[n].starts_with("added v1/public/"));
  CHECK(lines[6] == lines[8]);
  CHECK(lines[7] == "manifest 5");
  CHECK(rig.vtmirror({"sync"}).status == 0);
  CHECK(lines_of(logged).size() == 9);
}

TEST_CASE("notify test says how each hook ended, and that no channel is set where none is") {
  Rig rig;
  const auto none = rig.vtmirror({"notify", "test"});
  CHECK(none.status == 0);
  CHECK(says(none.err, "no notification channel is configured"));
  add_hook(rig, R"(["published"])", "echo $VTMIRROR_EVENT");
  add_hook(rig, R"(["published"])", "sleep 1000", "1s");
  const auto ended = rig.vtmirror({"notify", "test"});
  INFO(ended.out, ended.err);
  CHECK(ended.status == 1);
  CHECK(says(ended.out, ": ok, exit status 0 after "));
  CHECK(says(ended.out, ": failed, timed out after 1s and was terminated"));
  CHECK(says(ended.err, ": test\n"));
}

bool wait_for_words(Child& daemon, const std::string& words) {
  return daemon.read_until([&words](const Ended& so_far) { return says(so_far.err, words); });
}

TEST_CASE("the stop of a daemon ends its hooks, and the next one starts them again for the same notice") {
  Rig rig;
  const auto logged = rig.directory() / "logged";
  add_hook(rig, R"(["cycle"])", "echo $VTMIRROR_ID >> " + logged.string() + "; echo started; exec sleep 1000", "1h");
  for (int start = 1; start <= 2; ++start) {
    Child daemon(rig.command_line({"run"}));
    REQUIRE(wait_for_words(daemon, ": started"));
    daemon.signal(SIGTERM);
    CHECK(daemon.wait().status == 0);
  }
  const auto ids = lines_of(logged);
  REQUIRE(ids.size() == 2);
  CHECK(ids[0] == ids[1]);
}

TEST_CASE("a hook that runs at the stop may end by itself when all else has ended, and is not run again") {
  Site site;
  const auto logged = site.rig.directory() / "logged";
  const auto go = site.rig.directory() / "go";
  add_hook(
      site.rig, R"(["cycle"])",
      "echo started; until test -e " + go.string() + "; do sleep 0.1; done; echo $VTMIRROR_ID >> " + logged.string(),
      "1h");
  const auto path = site.rig.directory() / "notify";
  Supervisor supervisor(path);
  Child daemon(site.rig.command_line({"run"}),
               {"NOTIFY_SOCKET=" + path.string(), "WATCHDOG_USEC=400000", "VTMIRROR_HOOK_GRACE=60s"});
  supervisor.until("STATUS=idle");  // reads the many messages of the start; the next wait reads only the log
  REQUIRE(wait_for_words(daemon, ": started"));
  daemon.signal(SIGTERM);
  supervisor.until("STOPPING=1");
  CHECK(supervisor.until("EXTEND_TIMEOUT_USEC=").back() == "EXTEND_TIMEOUT_USEC=70000000");
  CHECK(supervisor.until("STATUS=").back() == "STATUS=stopping: hooks that run may take 1m 00s");
  for (int ping = 0; ping < 3; ++ping) supervisor.until("WATCHDOG=1");
  CHECK_FALSE(fs::exists(fs::symlink_status(site.socket)));
  CHECK_FALSE(fs::exists(logged));
  write_file(go, "");
  CHECK(daemon.wait().status == 0);
  CHECK(lines_of(logged).size() == 1);
  site.start();
  Events(site.socket).state("idle");
  CHECK(site.stop().status == 0);
  CHECK(lines_of(logged).size() == 1);
}

TEST_CASE("a hook that had to be ended after its grace runs again after the next start") {
  Rig rig;
  const auto logged = rig.directory() / "logged";
  add_hook(rig, R"(["cycle"])", "echo $VTMIRROR_ID >> " + logged.string() + "; echo started; exec sleep 1000", "1h");
  for (int start = 1; start <= 2; ++start) {
    Child daemon(rig.command_line({"run"}), {"VTMIRROR_HOOK_GRACE=1s"});
    REQUIRE(wait_for_words(daemon, ": started"));
    daemon.signal(SIGTERM);
    CHECK(daemon.wait().status == 0);
  }
  const auto ids = lines_of(logged);
  REQUIRE(ids.size() == 2);
  CHECK(ids[0] == ids[1]);
}

TEST_CASE("as the first process, the daemon reaps what a hook has left in the background") {
  const std::vector<std::string> as_first{"unshare", "--pid", "--fork", "--kill-child", "--mount-proc"};
  auto probe = as_first;
  probe.emplace_back("true");
  if (run(probe).status != 0) return skip("no process can be made the first one here");
  Site site;
  const auto left = site.rig.directory() / "left";
  add_hook(site.rig, R"(["cycle"])",
           "if test -e " + left.string() +
               "; then echo zombies: $(grep -l 'State:.Z' /proc/[0-9]*/status | wc -l); else " +
               "true >/dev/null 2>&1 & echo $! >" + left.string() + "; echo parent: $PPID; fi");
  auto line = site.rig.command_line({"run"});
  line.insert(line.begin(), as_first.begin(), as_first.end());
  Child daemon(line);
  REQUIRE(wait_for_words(daemon, "parent: 1"));
  Events(site.socket).state("idle");
  CHECK(site.rig.vtmirror({"sync"}).status == 0);
  REQUIRE(wait_for_words(daemon, "zombies: "));
  CHECK(has(daemon.so_far().err, "zombies: 0\n"));
}

TEST_CASE("a daemon and its hooks keep the umask and the limit for core dumps that they were started with") {
  Rig rig;
  const auto logged = rig.directory() / "logged";
  add_hook(rig, R"(["cycle"])",
           "umask > " + logged.string() + "; cat /proc/self/limits >> " + logged.string() + "; echo started");
  auto line = rig.command_line({"run"});
  line.insert(line.begin(), {"/bin/sh", "-c", "umask 027; ulimit -c 0; exec \"$@\"", "sh"});
  Child daemon(line);
  REQUIRE(wait_for_words(daemon, ": started"));
  daemon.signal(SIGTERM);
  CHECK(daemon.wait().status == 0);
  const auto text = read_file(logged);
  CHECK(text.starts_with("0027\n"));
  CHECK(says(text, "Max core file size        0                    0 "));
}

TEST_CASE("a grace for hooks that is no time is a mistake, like one in the settings") {
  Rig rig;
  const auto ended = rig.vtmirror({"run"}, {"VTMIRROR_HOOK_GRACE=soon"});
  CHECK(ended.status == 2);
  CHECK(says(ended.err, "VTMIRROR_HOOK_GRACE: must be a duration"));
}

TEST_CASE("a hook that outlives a killed daemon is not started again beside itself") {
  Rig rig;
  const auto logged = rig.directory() / "logged";
  add_hook(rig, R"(["cycle"])", "echo $$ >> " + logged.string() + "; echo started; exec sleep 1000", "1h");
  {
    Child daemon(rig.command_line({"run"}));
    REQUIRE(wait_for_words(daemon, ": started"));
    daemon.signal(SIGKILL);
    CHECK(daemon.wait().status == 128 + SIGKILL);
  }
  Child daemon(rig.command_line({"run"}));
  CHECK(wait_for_words(daemon, "of an earlier attempt for the same notice still runs"));
  daemon.signal(SIGTERM);
  CHECK(daemon.wait().status == 0);
  const auto pids = lines_of(logged);
  REQUIRE(pids.size() == 1);
  CHECK(::kill(std::stoi(pids.front()), SIGKILL) == 0);
}

}  // namespace
