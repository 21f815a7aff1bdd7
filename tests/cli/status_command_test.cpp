#include "cli/commands.hpp"

#include "cli/command_run.hpp"
#include "support/control_server.hpp"
#include "support/daemon_status.hpp"
#include "support/directory.hpp"
#include "support/skip.hpp"
#include "vtmirror/client/control_client.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

namespace vtmirror::cli {
namespace {

test::Script answering(const std::string& json) { return {.answers = {{"GET /v1/status", test::answer(200, json)}}}; }

Arguments at(const std::string& socket) {
  Arguments arguments;
  arguments.command = Command::status;
  arguments.config = "/nowhere/vtmirror.toml";
  arguments.socket = socket;
  return arguments;
}

TEST_CASE("the status is a table that begins with the state") {
  const test::Directory directory;
  const test::ControlServer server(directory.path("s"), answering(report::status_json(test::quiet_status())));
  const auto ended = run(cli::status, at(server.path()));
  CHECK(ended.status == done);
  CHECK(ended.out.starts_with("idle\n\nChain     through 2026-11-18"));
  CHECK(ended.err.empty());
}

TEST_CASE("for machines the daemon's answer is passed on as it is, further keys too") {
  auto json = report::status_json(test::quiet_status());
  json.insert(1, R"("new_key":[1],)");
  const test::Directory directory;
  const test::ControlServer server(directory.path("s"), answering(json));
  auto arguments = at(server.path());
  arguments.json = true;
  const auto ended = run(cli::status, arguments);
  CHECK(ended.status == done);
  CHECK(ended.out == json + '\n');
}

TEST_CASE("without a daemon the status is 3, and the path is named") {
  const test::Directory directory;
  for (const bool watch : {false, true}) {
    auto arguments = at(directory.path("nobody"));
    arguments.watch = watch;
    const auto ended = run(cli::status, arguments);
    CHECK(ended.status == no_daemon);
    CHECK(ended.out.empty());
    CHECK(ended.err.find("no daemon answers at " + directory.path("nobody")) != std::string::npos);
    CHECK(ended.err.ends_with("vtmirror: start its daemon, or give another socket with --socket\n"));
  }
}

TEST_CASE("somebody who has no settings reads the first step with the missing daemon") {
  const test::Directory directory;
  auto arguments = at("");
  arguments.socket.reset();
  arguments.config = directory.path("none.toml");
  if (!client::ask(settings::Config().control.socket, {"GET", "/v1/status"}).has_error())
    return test::skip("a daemon runs on this machine");
  const auto ended = run(cli::status, arguments);
  CHECK(ended.status == no_daemon);
  CHECK(ended.err.find("there is no settings file " + arguments.config + ": make it with `vtmirror config init") !=
        std::string::npos);
}

TEST_CASE("an answer that cannot be read is a failure, not a missing daemon") {
  const test::Directory directory;
  const test::ControlServer server(directory.path("s"), answering("{}"));
  const auto ended = run(cli::status, at(server.path()));
  CHECK(ended.status == failed);
  CHECK(ended.err.find("the daemon's status: version is missing") != std::string::npos);
}

TEST_CASE("the socket is the option's, then the configuration's, mistakes elsewhere or not") {
  const test::Directory directory;
  const test::ControlServer server(directory.path("s"), answering(report::status_json(test::quiet_status())));
  auto arguments = at("");
  arguments.socket.reset();
  arguments.config =
      directory.write("c.toml", "[control]\nsocket = \"" + server.path() + "\"\n[mirror]\nreserve = \"much\"\n");
  CHECK(run(cli::status, arguments).status == done);
  arguments.socket = directory.path("elsewhere");
  CHECK(run(cli::status, arguments).status == no_daemon);
}

TEST_CASE("a check is one line and a plugin's exit status") {
  auto status = test::quiet_status();
  status.chain.through = test::date("2001-01-01");
  const test::Directory directory;
  const test::ControlServer server(directory.path("s"), answering(report::status_json(status)));
  auto arguments = at(server.path());
  arguments.check = true;
  const auto critical = run(cli::status, arguments);
  CHECK(critical.status == 2);
  CHECK(critical.out.starts_with("VTMIRROR CRITICAL - the chain ends on 2001-01-01 | age="));
  CHECK(std::count(critical.out.begin(), critical.out.end(), '\n') == 1);

  const test::ControlServer broken(directory.path("broken"), answering("{}"));
  for (const auto* socket : {"broken", "nobody"}) {
    arguments.socket = directory.path(socket);
    const auto unknown = run(cli::status, arguments);
    CHECK(unknown.status == 3);
    CHECK(unknown.out.starts_with("VTMIRROR UNKNOWN - "));
    CHECK(unknown.err.empty());
    const bool says_what_to_do = unknown.out.ends_with("; start its daemon, or give another socket with --socket\n");
    CHECK(says_what_to_do == (socket == std::string("nobody")));
  }
}

test::Script changing() {
  auto status = test::quiet_status();
  auto events = test::events_header + test::event("status", report::status_json(status));
  status.state = core::State::syncing;
  status.cycle.emplace();
  status.cycle->files = 2;
  status.cycle->bytes = 100;
  for (const int received : {0, 30, 60}) {
    status.cycle->received = received;
    events += test::event("status", report::status_json(status));
  }
  events += test::event("journal", R"({"type":"published","level":"info","message":"a"})");
  status.cycle->done = 1;
  events += test::event("status", report::status_json(status));
  return {.answers = {{"GET /v1/events", events}}, .once = true};
}

TEST_CASE("watched without a terminal, each change of substance is a line") {
  const test::Directory directory;
  const test::ControlServer server(directory.path("s"), changing());
  auto arguments = at(server.path());
  arguments.watch = true;
  const auto ended = run(cli::status, arguments);
  // What answers then is no daemon that can be watched.
  CHECK(ended.status == failed);
  CHECK(ended.out.ends_with(" no daemon answers at " + server.path() + "; trying again until it does\n"));
  CHECK(std::count(ended.out.begin(), ended.out.end(), '\n') == 4);
  CHECK(ended.out.find(" idle\n") != std::string::npos);
  CHECK(ended.out.find(" syncing; 0 of 2 files, 0% of 100 B\n") != std::string::npos);
  CHECK(ended.out.find(" syncing; 1 of 2 files, 60% of 100 B\n") != std::string::npos);
}

TEST_CASE("watched for machines, each status is a line of JSON") {
  const test::Directory directory;
  const test::ControlServer server(directory.path("s"), changing());
  auto arguments = at(server.path());
  arguments.watch = arguments.json = true;
  const auto ended = run(cli::status, arguments);
  CHECK(std::count(ended.out.begin(), ended.out.end(), '\n') == 5);
  CHECK(ended.out.starts_with(report::status_json(test::quiet_status()) + '\n'));
  CHECK(ended.err.find("; trying again until it does\n") != std::string::npos);
}

TEST_CASE("a line is logged for each change of state, of files, of the chain and of problems") {
  const auto before = test::quiet_status();
  auto now = before;
  now.mirror.free -= 1;
  CHECK_FALSE(is_worth_a_line(before, now));
  now = before, now.state = core::State::waiting;
  CHECK(is_worth_a_line(before, now));
  now = before, now.next_wake = now.since;
  CHECK(is_worth_a_line(before, now));
  now = before, now.chain.missing = {"a"};
  CHECK(is_worth_a_line(before, now));
  now = before, now.problems = {{"late_delta", now.since, ""}};
  CHECK(is_worth_a_line(before, now));
  now = before, now.cycle.emplace();
  CHECK(is_worth_a_line(before, now));
}

}  // namespace
}  // namespace vtmirror::cli
