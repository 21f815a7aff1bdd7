// The daemon as a user meets it: under a supervisor, at its socket, beside other commands, and when it is shut out or
// killed.
#include "end_to_end/daemon_site.hpp"

#include "support/skip.hpp"

#include <doctest/doctest.h>
#include <unistd.h>

#include <signal.h>

#include <algorithm>
#include <chrono>
#include <vector>

using namespace vtmirror::test;
namespace base = vtmirror::base;

namespace {

constexpr char slow_bulk[] = R"(, "faults": [{"at": "store", "match": "bulk", "rate": 100000, "times": 0}])";

}  // namespace

TEST_CASE("the daemon makes up for a missed wake-up by itself, and then says that all is well") {
  Site site;
  site.start();
  const auto idle = Events(site.socket).state("idle");
  CHECK(idle.at("last_cycle").as_object().at("outcome").as_string() == "complete");
  CHECK(site.rig.held() == site.rig.upstream());
  CHECK(site.rig.held().size() == 5);

  const auto status = site.status();
  CHECK(status.at("state").as_string() == "idle");
  CHECK(status.at("cycle").is_null());
  CHECK(status.at("problems").as_array().empty());
  CHECK(status.at("mirror").as_object().at("files").as_int64() == 5);
  CHECK(status.at("chain").as_object().at("complete").as_bool());
  CHECK(status.at("chain").as_object().at("through").as_string() == base::iso8601(site.noon.today));
  const auto table = site.rig.vtmirror({"status"});
  CHECK(table.status == 0);
  CHECK(has(table.out, base::iso8601(site.noon.today)));
  const auto check = site.rig.vtmirror({"status", "--check"});
  CHECK(check.status == 0);
  CHECK(has(check.out, "VTMIRROR OK"));
  CHECK(has(check.out, " | age="));
  CHECK(site.stop().status == 0);
}

TEST_CASE("the log says which version started, what the mirror holds, and which signal stopped it") {
  Site site;
  site.start();
  Events(site.socket).state("idle");
  const auto mirror = site.rig.mirror().string();
  const auto version = site.rig.vtmirror({"--version"}).out;
  const auto program = "info    " + version.substr(0, version.find('\n'));
  CHECK(has(site.daemon->so_far().err, program + " started: the mirror is in " + mirror + '\n'));
  const auto first = site.stop();
  CHECK(has(first.err, program + " stopped by SIGTERM\n"));
  site.start();
  CHECK(has(site.daemon->so_far().err, " started: 5 files in " + mirror + '\n'));
  const auto second = site.stop(SIGINT);
  CHECK(second.status == 130);
  CHECK(second.err.ends_with(" stopped by SIGINT\n"));
}

TEST_CASE("a daemon that hangs is said not to answer, and to be restarted, not to be started") {
  Site site;
  site.start();
  site.daemon->signal(SIGSTOP);
  const auto ended = site.rig.vtmirror({"status"});
  CAPTURE(ended.err);
  CHECK(ended.status == 3);
  CHECK(has(ended.err, "the daemon at " + site.socket.string() + " does not answer in time\n"));
  CHECK(has(ended.err, "vtmirror: see its log for what it does, or end it and start it again\n"));
  site.daemon->signal(SIGCONT);
  CHECK(site.stop().status == 0);
}

TEST_CASE("a day's wake-up that one process has made is not made again by the next") {
  Site site;
  REQUIRE(site.rig.vtmirror({"sync"}).status == 0);
  site.start();
  const auto idle = Events(site.socket).state("idle");
  CHECK(site.rig.requests("api").size() == 1);
  CHECK(idle.at("mirror").as_object().at("files").as_int64() == 5);
}

TEST_CASE("a supervisor hears READY when the daemon answers, pings, the reload and the end") {
  Site site(slow_bulk);
  const auto path = site.rig.directory() / "notify";
  Supervisor supervisor(path);
  Child daemon(site.rig.command_line({"run"}), {"NOTIFY_SOCKET=" + path.string(), "WATCHDOG_USEC=200000"});
  supervisor.until("READY=1");
  CHECK(Socket(SOCK_STREAM).connect(site.socket));
  CHECK_FALSE(supervisor.until("STATUS=").back() == "STATUS=");
  for (int ping = 0; ping < 3; ++ping) supervisor.until("WATCHDOG=1");

  daemon.signal(SIGHUP);
  CHECK(has(supervisor.until("RELOADING=1").back(), "MONOTONIC_USEC="));
  supervisor.until("READY=1");
  daemon.signal(SIGTERM);
  supervisor.until("STOPPING=1");
  CHECK(daemon.wait().status == 0);
}

TEST_CASE("curl and a plain line at the socket are answered") {
  Site site;
  site.start();
  Events(site.socket).state("idle");
  const auto status = site.curl("/v1/status");
  REQUIRE(status.status == 0);
  CHECK(status.out.ends_with("\n200"));
  CHECK(json::parse(status.out.substr(0, status.out.rfind('\n'))).as_object().at("state").as_string() == "idle");
  const auto metrics = site.curl("/metrics");
  CHECK(metrics.out.ends_with("\n200"));
  CHECK(has(metrics.out, "\nvtmirror_files 5\n"));
  CHECK(has(metrics.out, "\nvtmirror_chain_complete 1\n"));
  CHECK(has(metrics.out, "\nvtmirror_published_files_total 5\n"));
  for (const std::string place : {"/v1/files", "/v1/coverage", "/v1/history", "/v1/changes?since=0"}) {
    CAPTURE(place);
    CHECK(site.curl(place).out.ends_with("\n200"));
  }
  CHECK(site.curl("/v1/nothing").out.ends_with("\n404"));

  const Socket plain(SOCK_STREAM);
  REQUIRE(plain.connect(site.socket));
  plain.send("status\n");
  std::string table;
  for (auto more = plain.receive(); !more.empty(); more = plain.receive()) table += more;
  CHECK(has(table, base::iso8601(site.noon.today)));
  CHECK_FALSE(has(table, "HTTP/1.1"));
}

TEST_CASE("sync beside the daemon follows the daemon's cycle to its end, and a second daemon is refused") {
  Site site;
  site.start();
  Events(site.socket).state("idle");
  const auto tomorrow = base::iso8601(base::next_day(site.noon.today));
  site.rig.control("POST", "/date", R"({"date":")" + tomorrow + "\"}");
  const auto plan = site.rig.vtmirror({"sync", "--dry-run"});
  CAPTURE(plan.err);
  CHECK(plan.status == 0);
  CHECK(has(plan.out, "\n1 file to download, "));
  CHECK(has(plan.out, "; 5 to keep\n"));
  CHECK(site.rig.held().size() == 5);
  const auto sync = site.rig.vtmirror({"sync"});
  CAPTURE(sync.err);
  CHECK(sync.status == 0);
  CHECK(has(sync.err, "a daemon holds the mirror"));
  CHECK(has(sync.err, "complete: 1 file"));
  CHECK(site.rig.held().size() == 6);
  CHECK(site.rig.held() == site.rig.upstream());
  CHECK(site.status().at("chain").as_object().at("through").as_string() == tomorrow);

  const auto second = site.rig.vtmirror({"run"});
  CHECK(second.status == 4);
  CHECK(has(second.err, std::to_string(site.daemon->pid())));
  CHECK(site.rig.vtmirror({"status"}).status == 0);
}

TEST_CASE("SIGTERM ends a cycle within five seconds, even with followers, and removes the socket file") {
  Site site(slow_bulk);
  site.start();
  Events events(site.socket);
  // The deltas are there while the bulk file is still on its way.
  REQUIRE(site.logged("published"));
  const auto status = site.status();
  CHECK(status.at("state").as_string() == "syncing");
  CHECK(status.at("cycle").is_object());
  std::int64_t before = -1;
  events.status([&before](const json::object& logged) {
    if (!logged.at("cycle").is_object()) return false;
    const auto received = logged.at("cycle").as_object().at("received").to_number<std::int64_t>();
    if (before < 0) before = received;
    return received > before;
  });
  const auto signalled = std::chrono::steady_clock::now();
  const auto ended = site.stop();
  CHECK(std::chrono::steady_clock::now() - signalled < std::chrono::seconds(5));
  CAPTURE(ended.err);
  CHECK(ended.status == 0);
  CHECK_FALSE(fs::exists(fs::symlink_status(site.socket)));
  CHECK(site.rig.vtmirror({"status"}).status == 3);

  site.rig.control("POST", "/script", R"({"faults":[]})");
  site.start();
  // It continues by itself.
  Events(site.socket).state("idle");
  CHECK(site.rig.held() == site.rig.upstream());
}

TEST_CASE("kill -9 leaves a socket file behind: no daemon answers there, and the next daemon replaces it") {
  Site site(slow_bulk);
  site.start();
  REQUIRE(site.logged("published"));
  CHECK(site.stop(SIGKILL).status == 128 + SIGKILL);
  CHECK(fs::is_socket(site.socket));
  CHECK(site.rig.vtmirror({"status"}).status == 3);
  site.rig.control("POST", "/script", R"({"faults":[]})");
  site.start();
  // It continues by itself.
  Events(site.socket).state("idle");
  CHECK(site.rig.held() == site.rig.upstream());
}

TEST_CASE("a held file that was gone from disk at the start is fetched again at once, not on the next day") {
  Site site;
  site.start();
  Events(site.socket).state("idle");
  REQUIRE(site.stop().status == 0);
  const auto lost = site.rig.held().begin()->first;
  fs::remove(site.rig.mirror() / lost);
  site.start();
  const auto day = lost.substr(lost.size() - std::string("15-11-2026.zip").size());
  const auto date = base::parse_date(day.substr(6, 4) + "-" + day.substr(3, 2) + "-" + day.substr(0, 2));
  REQUIRE(date.has_value());
  CHECK(site.logged("bulk " + base::day_and_month(*date) +
                    " is lost: it is not on disk; the next cycle downloads it again"));
  CHECK(site.logged("cycle complete: 1 file published"));
  CHECK(site.rig.held() == site.rig.upstream());
}

TEST_CASE("a mirror that is moved away under the daemon ends it, and the next one does not fill an empty directory") {
  Site site;
  site.start();
  Events(site.socket).state("idle");
  const auto moved = site.rig.directory() / "moved";
  fs::rename(site.rig.mirror(), moved);
  const auto manifest = read_file(moved / "manifest.json");
  CHECK(site.curl("/v1/sync", {"-X", "POST"}).status == 0);
  const auto end = site.daemon->wait();
  CHECK(end.status == 1);
  CHECK(has(end.err, "is no longer the directory that was opened"));
  CHECK(read_file(moved / "manifest.json") == manifest);
  const auto refused = site.rig.vtmirror({"run"});
  CHECK(refused.status == 2);
  CHECK(has(refused.err, "mirror.directory cannot be used"));
  CHECK(has(refused.err, "vtmirror sync --refill"));
  CHECK(site.rig.held().empty());
  CHECK(site.rig.vtmirror({"sync", "--refill"}).status == 0);
  site.start();
  CHECK(site.rig.held() == site.rig.upstream());
}

TEST_CASE("new settings are taken on SIGHUP; wrong ones are refused whole, and the old ones stay") {
  Site site;
  site.start();
  Events events(site.socket);
  const auto old_wake = events.state("idle").at("next_wake").as_string();

  const auto good = read_file(site.rig.config());
  site.rig.set("schedule", "at", "\"23:59\"");
  site.rig.set("download", "connections", "\"many\"");
  site.daemon->signal(SIGHUP);
  REQUIRE(site.logged("the new settings were refused"));
  const auto refused = site.curl("/v1/reload", {"-X", "POST"});
  CHECK(refused.out.ends_with("\n422"));
  CHECK(has(refused.out, "connections"));
  CHECK(has_problem(events.status([](const json::object& s) { return !s.at("problems").as_array().empty(); }),
                    "settings_refused"));
  CHECK(site.status().at("next_wake").as_string() == old_wake);

  write_file(site.rig.config(), good);
  site.rig.set("control", "socket", "\"" + site.socket.string() + ".other\"");
  CHECK(has(site.curl("/v1/reload", {"-X", "POST"}).out, "control.socket"));

  write_file(site.rig.config(), good);
  site.rig.set("schedule", "at", "\"23:59\"");
  site.daemon->signal(SIGHUP);
  const auto status = events.status([&](const json::object& s) {
    return s.at("next_wake").is_string() && s.at("next_wake").as_string() != old_wake;
  });
  CHECK(std::string(status.at("next_wake").as_string()).substr(14, 2) == "59");
}

TEST_CASE("only root and the daemon's user may start a cycle; a member of the group may look") {
  if (::geteuid() != 0) return skip("only root can ask in another user's name");
  Site site;
  site.rig.set("control", "group", "\"root\"");
  // A stranger in the socket's group must be able to come as far as the socket.
  for (const auto& directory : {site.rig.directory(), site.socket.parent_path()})
    fs::permissions(directory, fs::perms::others_exec | fs::perms::group_exec, fs::perm_options::add);
  site.start();
  Events(site.socket).state("idle");
  const auto as_stranger = [&](const std::string& method, const std::string& path) {
    return run({"setpriv", "--reuid=65534", "--regid=0", "--clear-groups", "curl", "-s", "-w", "\n%{http_code}", "-X",
                method, "--unix-socket", site.socket.string(), "http://localhost" + path});
  };
  CHECK(as_stranger("GET", "/v1/status").out.ends_with("\n200"));
  for (const std::string path : {"/v1/sync", "/v1/reload"}) {
    const auto refused = as_stranger("POST", path);
    CAPTURE(refused.out);
    CHECK(refused.out.ends_with("\n403"));
    CHECK(has(refused.out, "\"error\""));
  }
  CHECK(site.rig.requests("api").size() == 1);
  CHECK(site.curl("/v1/sync", {"-X", "POST"}).out.ends_with("\n202"));
}

TEST_CASE("without a daemon, status ends with 3, and its check is unknown") {
  Site site;
  CHECK(site.rig.vtmirror({"status"}).status == 3);
  CHECK(site.rig.vtmirror({"status", "--json"}).status == 3);
  const auto check = site.rig.vtmirror({"status", "--check"});
  CHECK(check.status == 3);
  CHECK(has(check.out, "VTMIRROR UNKNOWN"));
}

TEST_CASE(
    "while today's delta is not listed the daemon waits for it; when it gives up, that is a problem until it comes") {
  const auto today = base::iso8601(Noon().today);
  Site site(R"(, "late": [")" + today + "\"]");
  site.start();
  Events events(site.socket);
  const auto waiting = events.state("waiting");
  CHECK(waiting.at("last_cycle").as_object().at("outcome").as_string() == "complete");
  CHECK(waiting.at("next_wake").is_string());
  CHECK(waiting.at("problems").as_array().empty());
  CHECK(site.rig.held().size() == 4);

  site.rig.set("schedule", "give_up", "\"1s\"");  // from the day's first try on
  site.daemon->signal(SIGHUP);
  events.status([](const json::object& status) { return has_problem(status, "late_delta"); });
  CHECK(site.rig.vtmirror({"status", "--check"}).status == 1);

  site.rig.control("POST", "/script", R"({"late":[]})");
  CHECK(site.rig.vtmirror({"sync"}).status == 0);
  CHECK(site.rig.held().size() == 5);
  CHECK(site.logged("resolved: delta "));
  // Over as soon as it is listed, while the cycle that downloads it still runs.
  events.status([](const json::object& s) { return s.at("problems").as_array().empty() && s.at("cycle").is_null(); });
}

TEST_CASE("each process logs once a problem that stands since before it began, whether it found it or the one before") {
  Site site(R"(, "late": [")" + base::iso8601(Noon().today) + "\"]");
  site.rig.set("schedule", "give_up", "\"1s\"");  // the delta is late since midnight
  for (const std::string process : {"finds it", "begins with it"}) {
    CAPTURE(process);
    site.start();
    Events(site.socket).status([](const json::object& status) {
      const auto state = status.at("state").as_string();
      return has_problem(status, "late_delta") && (state == "idle" || state == "waiting");
    });
    const auto said = site.stop().err;
    CAPTURE(said);
    const std::string words = " was not listed in time";
    const auto first = said.find(words);
    REQUIRE(first != std::string::npos);
    CHECK(said.find(words, first + 1) == std::string::npos);
  }
}

TEST_CASE("a failed cycle is a problem until one is complete, and sync beside the daemon shows both") {
  Site site(R"(, "faults": [{"at": "api", "status": 403, "times": 0}])");
  site.start();
  Events events(site.socket);
  CHECK(has_problem(events.state("waiting"), "cycle_failed"));
  CHECK(site.rig.vtmirror({"status", "--check"}).status == 2);
  CHECK(site.rig.vtmirror({"sync"}).status == 1);
  site.rig.control("POST", "/script", R"({"faults":[]})");
  CHECK(site.rig.vtmirror({"sync"}).status == 0);
  CHECK(site.logged("resolved: listing request to "));
  CHECK(site.rig.vtmirror({"status", "--check"}).status == 0);
}

TEST_CASE("during four transfers ninety-nine of a hundred questions are answered within 50 ms") {
  Site site(R"(, "faults": [{"at": "store", "rate": 5000, "times": 0}])");
  site.rig.set("download", "parallel_files", "4");
  site.start();
  Events events(site.socket);
  events.status([](const json::object& status) {
    return !status.at("cycle").is_null() && status.at("cycle").as_object().at("downloads").as_array().size() == 4;
  });
  std::vector<std::chrono::microseconds> times;
  for (int n = 0; n < 300; ++n) {
    const auto begun = std::chrono::steady_clock::now();
    const Socket socket(SOCK_STREAM);
    REQUIRE(socket.connect(site.socket));
    socket.send("GET /v1/status HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    std::string answer;
    for (auto more = socket.receive(); !more.empty(); more = socket.receive()) answer += more;
    times.push_back(std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - begun));
    REQUIRE(has(answer, "HTTP/1.1 200"));
    REQUIRE(has(answer, "\"state\":\"syncing\""));
  }
  std::ranges::sort(times);
  MESSAGE("GET /v1/status during four transfers: median " << times[150].count() << " us, p99 " << times[297].count()
                                                          << " us, the slowest " << times.back().count() << " us");
  CHECK(times[297] < std::chrono::milliseconds(50));
}
