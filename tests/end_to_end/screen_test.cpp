// What a person sees while the mirror is brought up to date: on a terminal, in a log, and over a restart of the daemon.
#include "end_to_end/daemon_site.hpp"

#include "support/skip.hpp"

#include <doctest/doctest.h>

#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

using namespace vtmirror::test;

namespace {

/// The command on a terminal of `columns` columns. The file `pid` has the number of its process.
std::vector<std::string> on_a_terminal(const Site& site, int columns, const std::vector<std::string>& command) {
  std::string line = "stty cols " + std::to_string(columns) + " rows 24; echo $$ > '" +
                     (site.rig.directory() / "pid").string() + "'; exec";
  for (const auto& word : site.rig.command_line(command)) line += " '" + word + "'";
  return {"script", "-qec", line, "/dev/null"};
}

void interrupt(const Site& site) {
  std::ifstream file(site.rig.directory() / "pid");
  pid_t pid = 0;
  file >> pid;
  REQUIRE(pid > 0);
  REQUIRE(::kill(pid, SIGINT) == 0);
}

std::vector<std::string> plain_terminal() {
  return {"TERM=xterm",    "LC_ALL=C.UTF-8", "NO_PROGRESS=", "TMUX=",       "STY=",
          "TERM_PROGRAM=", "WT_SESSION=",    "ConEmuANSI=",  "VTE_VERSION="};
}

/// Without the sequences that draw bars and colours.
std::vector<std::string> plain_terminal_without_bars() {
  auto environment = plain_terminal();
  environment.insert(environment.end(), {"NO_PROGRESS=1", "NO_COLOR=1"});
  return environment;
}

constexpr const char* slow_store = R"(, "faults": [{"at": "store", "match": "bulk", "rate": 300000, "times": 0}])";

bool is_there(const Ended& so_far, const std::string& part) { return has(so_far.out, part); }

}  // namespace

TEST_CASE("on a terminal, the request for the listing is shown with its seconds, and no bar before there are files") {
  if (const auto why = absent("script", "bsdutils")) return skip(*why);
  Site site(R"(, "faults": [{"at": "api", "delay_ms": 2500}])");
  const auto ended = run(on_a_terminal(site, 80, {"sync"}), plain_terminal());
  CAPTURE(ended.out);
  CHECK(ended.status == 0);
  CHECK(is_there(ended, "asking for the listing (1s)"));
  CHECK_FALSE(is_there(ended, "0 of 0 files"));
  CHECK(is_there(ended, "complete: 5 files"));
}

TEST_CASE("on a terminal, a pause that the service asks for is shown until its end, with the reason") {
  if (const auto why = absent("script", "bsdutils")) return skip(*why);
  Site site(R"(, "faults": [{"at": "api", "status": 429, "headers": {"Retry-After": "2"}}])");
  const auto ended = run(on_a_terminal(site, 80, {"sync"}), plain_terminal());
  CAPTURE(ended.out);
  CHECK(ended.status == 0);
  CHECK(is_there(ended, ": the service asks for fewer requests (HTTP 429)"));
  CHECK(is_there(ended, "waiting until "));
}

TEST_CASE("on a terminal, a line that is too long is broken between words, of the log and of the end alike") {
  if (const auto why = absent("script", "bsdutils")) return skip(*why);
  Site site(R"(, "faults": [{"at": "api", "status": 404, "times": 0}])");
  for (const int columns : {60, 80}) {
    const auto ended = run(on_a_terminal(site, columns, {"sync"}), plain_terminal_without_bars());
    CAPTURE(ended.out);
    CHECK(ended.status == 1);
    std::istringstream lines(ended.out);
    std::string all;
    for (std::string line; std::getline(lines, line);) {
      if (line.ends_with('\r')) line.pop_back();
      CHECK_MESSAGE(std::ssize(line) <= columns, line);
      all += (line.starts_with("    ") ? line.substr(3) : line);
    }
    CHECK(has(all, " failed: HTTP 404"));
    CHECK(has(all, "vtmirror: check service.base_url and service.listing_path; next try: `vtmirror sync`, or when "));
  }
}

TEST_CASE("on a terminal that shows a progress of its own, Ctrl-C leaves none behind") {
  if (const auto why = absent("script", "bsdutils")) return skip(*why);
  Site site(slow_store);
  auto environment = plain_terminal();
  environment.emplace_back("TERM_PROGRAM=ghostty");
  Child sync(on_a_terminal(site, 80, {"sync"}), environment);
  REQUIRE(sync.read_until([](const Ended& so_far) { return is_there(so_far, "\x1b]9;4;1;"); }));
  interrupt(site);
  const auto ended = sync.wait();
  CHECK(ended.status == 130);
  CHECK(ended.out.rfind("\x1b]9;4;0\x1b\\") > ended.out.rfind("\x1b]9;4;1;"));
  CHECK(ended.out.rfind("\x1b[?25h") > ended.out.rfind("\x1b[?25l"));
}

TEST_CASE("NO_PROGRESS switches the bars off, and another terminal gets no progress of its own") {
  if (const auto why = absent("script", "bsdutils")) return skip(*why);
  Site site;
  auto environment = plain_terminal();
  environment.emplace_back("TERM_PROGRAM=ghostty");
  environment.emplace_back("NO_PROGRESS=1");
  const auto ended = run(on_a_terminal(site, 80, {"sync"}), environment);
  CHECK(ended.status == 0);
  CHECK_FALSE(is_there(ended, "\x1b[?25l"));
  CHECK_FALSE(is_there(ended, "\x1b]9;4"));
  CHECK(is_there(ended, "downloading bulk "));
}

TEST_CASE("the daemon logs each tenth of a file, and after a cycle when it wakes up or tries again") {
  Site site(slow_store);
  site.start();
  CHECK(site.logged("% of 2.00 MB, "));
  REQUIRE(site.logged("next wake-up "));
  // The daemon's schedule has a zone of its own: on this machine's clock, that is today or tomorrow.
  const auto status = site.rig.vtmirror({"status"}).out;
  const auto wake = status.find("next wake-up to");
  REQUIRE(wake != std::string::npos);
  const auto words = status.substr(wake, status.find(" (", wake) - wake);
  const auto log = site.daemon->so_far().err;
  CAPTURE(words);
  CHECK(has(log, words));
  CHECK(log.find("cycle complete") < log.find(words));
  site.rig.control("POST", "/script", R"({"faults": [{"at": "api", "status": 403, "body": "{}", "times": 0}]})");
  CHECK(site.rig.vtmirror({"sync"}).status == 1);
  CHECK(site.logged("waiting to retry; next try "));
  CHECK(site.stop().status == 0);
}

TEST_CASE("bytes are counted while they arrive, and the running cycle is in the history with its numbers") {
  Site site(slow_store);
  site.start();
  Events events(site.socket);
  events.status([](const json::object& status) {
    return status.at("cycle").is_object() && status.at("cycle").at("done").as_int64() == 4;
  });
  const auto metrics = site.curl("/metrics").out;
  CHECK(has(metrics, "\nvtmirror_cycles_total{outcome=\"complete\"} 0\n"));
  CHECK_FALSE(has(metrics, "\nvtmirror_fetched_bytes_total 0\n"));
  CHECK_FALSE(has(metrics, "\nvtmirror_next_wake_timestamp_seconds "));
  const auto history = site.rig.vtmirror({"history"}).out;
  CHECK_MESSAGE(has(history, "  running      4  "), history);
  events.state("idle");
  const auto after = site.curl("/metrics").out;
  CHECK_MESSAGE(has(after, "\nvtmirror_fetched_bytes_total 2400000\n"), after);
  CHECK(has(after, "\nvtmirror_next_wake_timestamp_seconds "));
  CHECK(site.stop().status == 0);
}

TEST_CASE("status --watch continues after a restart of the daemon, and says so") {
  Site site;
  site.start();
  Events(site.socket).state("idle");
  Child watch(site.rig.command_line({"status", "--watch"}));
  REQUIRE(watch.read_until([](const Ended& so_far) { return is_there(so_far, "idle; next wake-up "); }));
  CHECK(site.stop().status == 0);
  REQUIRE(watch.read_until([](const Ended& so_far) { return is_there(so_far, "; trying again until it does\n"); }));
  site.start();
  REQUIRE(watch.read_until([](const Ended& so_far) { return is_there(so_far, "the daemon answers again\n"); }));
  watch.signal(SIGINT);
  CHECK(watch.wait().status == 130);
  CHECK(site.stop().status == 0);
}

TEST_CASE("on a terminal, verify shows how far a file is, at the rate that was given, alone and beside a daemon") {
  if (const auto why = absent("script", "bsdutils")) return skip(*why);
  for (const bool beside_a_daemon : {false, true}) {
    CAPTURE(beside_a_daemon);
    Site site;
    REQUIRE(site.rig.vtmirror({"sync"}).status == 0);
    if (beside_a_daemon) {
      site.start();
      Events(site.socket).state("idle");
    }
    const auto began = std::chrono::steady_clock::now();
    const auto ended = run(on_a_terminal(site, 80, {"verify", "--rate", "1MB/s"}), plain_terminal());
    CAPTURE(ended.out);
    CHECK(std::chrono::steady_clock::now() - began >= std::chrono::seconds(2));  // 2.4 MB
    CHECK(ended.status == 0);
    CHECK(is_there(ended, " / 2.00 MB"));
    CHECK(is_there(ended, "verified 5 files"));
    CHECK(is_there(ended, "following its verification") == beside_a_daemon);
    if (beside_a_daemon) CHECK(site.stop().status == 0);
  }
}
