#include "cli/sync_follow.hpp"

#include "support/control_server.hpp"
#include "support/daemon_status.hpp"
#include "support/directory.hpp"
#include "support/every.hpp"
#include "support/output.hpp"
#include "support/variables.hpp"
#include "vtmirror/client/control_events.hpp"
#include "vtmirror/report/advice.hpp"
#include "vtmirror/report/event.hpp"
#include "vtmirror/report/plan.hpp"
#include "vtmirror/terminal/live_block.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace vtmirror::cli {
namespace {

/// A daemon of the mirror in `directory` whose cycle ends so.
test::Script daemon(const test::Directory& directory, report::LastCycleStatus end) {
  auto status = test::quiet_status();
  status.mirror.directory = directory.path();
  const auto idle = report::status_json(status);
  status.state = core::State::syncing;
  status.cycle.emplace();
  test::Script script;
  script.answers = {{"GET /v1/status", test::answer(200, idle)}, {"POST /v1/sync", test::answer(202, "{}")}};
  script.events = test::events_header + test::event("status", idle);
  script.after_sync = test::event("status", report::status_json(status)) +
                      test::event("journal", R"({"type":"listed","level":"debug","message":"hidden"})") +
                      test::event("cycle", report::last_cycle_json(end)) + test::event("status", idle);
  return script;
}

struct Run {
  std::optional<ExitStatus> status;
  std::string err;
};

Run run(const test::Directory& directory, const std::string& mirror) {
  settings::Config config;
  config.control.socket = directory.path("s");
  config.mirror.directory = mirror;
  const test::Output logged;
  const auto ended = follow_daemon({}, config, test::environment_of({}));
  return {ended, logged.err()};
}

const report::LastCycleStatus complete = *test::quiet_status().last_cycle;

TEST_CASE("beside a daemon, a cycle is requested and followed to its end") {
  const test::Directory directory;
  test::ControlServer server(directory.path("s"), daemon(directory, complete));
  const auto ended = run(directory, directory.path() + "/.");
  CHECK(ended.status == done);
  CHECK(ended.err ==
        "vtmirror: a daemon holds the mirror: following its cycle\n"
        "vtmirror: complete: 2 files, 95.8 MB in 10s, 9.58 MB/s\n");
  CHECK(server.requests() == std::vector<std::string>{"GET /v1/status", "GET /v1/events", "POST /v1/sync"});
}

TEST_CASE("a followed cycle whose daemon then waits says that today's delta is not listed yet") {
  const test::Directory directory;
  auto nothing_new = complete;
  nothing_new.files = 0;
  nothing_new.bytes = 0;
  auto script = daemon(directory, nothing_new);
  auto status = test::quiet_status();
  status.mirror.directory = directory.path();
  status.state = core::State::syncing;
  const auto deciding = report::status_json(status);
  status.state = core::State::waiting;
  script.after_sync = test::event("cycle", report::last_cycle_json(nothing_new)) + test::event("status", deciding) +
                      test::event("status", report::status_json(status));
  const test::ControlServer server(directory.path("s"), script);
  const auto ended = run(directory, directory.path());
  CHECK(ended.status == done);
  CHECK(ended.err.ends_with("vtmirror: up to date with the listing; today's delta is not listed yet\n"));
}

TEST_CASE("beside a daemon, the plan is the daemon's, and the daemon of another mirror is not asked") {
  const test::Directory directory;
  core::Plan plan;
  plan.actions.push_back({core::ActionKind::keep, core::Reason::held_and_unchanged, core::Kind::bulk, "b.zip",
                          *base::parse_date("2026-11-15"), 7});
  auto script = daemon(directory, complete);
  script.answers["GET /v1/plan"] = test::answer(200, report::plan_json(plan));
  test::ControlServer server(directory.path("s"), script);
  settings::Config config;
  config.control.socket = directory.path("s");
  config.mirror.directory = directory.path();
  const auto logged = plan_of_daemon(config);
  REQUIRE(logged.has_value());
  REQUIRE(logged->has_value());
  CHECK((*logged)->actions.at(0).name == "b.zip");
  config.mirror.directory = directory.path("elsewhere");
  CHECK_FALSE(plan_of_daemon(config).has_value());
  CHECK(server.requests() == std::vector<std::string>{"GET /v1/status", "GET /v1/plan", "GET /v1/status"});
}

TEST_CASE("the plan of a daemon whose cycle runs is said to be that cycle's") {
  const test::Directory directory;
  auto script = daemon(directory, complete);
  auto status = test::quiet_status();
  status.mirror.directory = directory.path();
  status.cycle.emplace();
  status.cycle->started = test::instant("2026-11-17T08:03:10Z");
  script.answers["GET /v1/status"] = test::answer(200, report::status_json(status));
  script.answers["GET /v1/plan"] = test::answer(200, report::plan_json({}));
  const test::ControlServer server(directory.path("s"), script);
  settings::Config config;
  config.control.socket = directory.path("s");
  config.mirror.directory = directory.path();
  const test::Output logged;
  REQUIRE(plan_of_daemon(config).has_value());
  CHECK(logged.err().starts_with("vtmirror: a cycle has been running since 2026-11-17 "));
  CHECK(logged.err().ends_with("; this is its plan\n"));
}

TEST_CASE("a plan that the service's listing prevents is refused in the service's words, with their advice") {
  const test::Directory directory;
  auto script = daemon(directory, complete);
  script.answers["GET /v1/plan"] =
      test::answer(500, R"({"error":{"code":"empty_listing","message":"the service lists no bulk file"}})");
  const test::ControlServer server(directory.path("s"), script);
  settings::Config config;
  config.control.socket = directory.path("s");
  config.mirror.directory = directory.path();
  const auto plan = plan_of_daemon(config);
  REQUIRE(plan.has_value());
  REQUIRE(plan->has_error());
  CHECK(report::error_lines(plan->error()) ==
        "vtmirror: the service lists no bulk file\n"
        "vtmirror: run this again later; if the listing stays empty, report it to the service\n");
}

TEST_CASE("a followed cycle that is not all done ends as one of our own") {
  for (const auto outcome : {core::Outcome::partial, core::Outcome::failed}) {
    auto end = complete;
    end.outcome = outcome;
    end.error = "timed_out: no byte";
    const test::Directory directory;
    const test::ControlServer server(directory.path("s"), daemon(directory, end));
    const auto ended = run(directory, directory.path());
    CHECK(ended.status == failed);
    CHECK(ended.err.find(std::string(core::name(outcome)) + ": 2 files, 95.8 MB") != std::string::npos);
    CHECK(ended.err.find("timed_out: no byte") != std::string::npos);
  }
}

TEST_CASE("the end of a cycle that was sent before the request does not end the command") {
  const test::Directory directory;
  auto earlier = complete;
  earlier.outcome = core::Outcome::failed;
  auto script = daemon(directory, complete);
  script.events += test::event("cycle", report::last_cycle_json(earlier));
  const test::ControlServer server(directory.path("s"), script);
  CHECK(run(directory, directory.path()).status == done);
}

TEST_CASE("a cycle that ends in the instant in which we ask is not ours") {
  const test::Directory directory;
  auto earlier = complete;
  earlier.outcome = core::Outcome::failed;
  auto script = daemon(directory, complete);
  script.answers["POST /v1/sync"] = test::answer(202, R"({"accepted":true,"cycle":8})");
  script.after_sync = test::event("cycle", report::last_cycle_json(earlier, 7)) +
                      test::event("cycle", report::last_cycle_json(complete, 8)) +
                      test::event("status", report::status_json(test::quiet_status()));
  const test::ControlServer server(directory.path("s"), script);
  CHECK(run(directory, directory.path()).status == done);
}

TEST_CASE("a user who may not start a cycle gets a message that says who may") {
  const test::Directory directory;
  auto script = daemon(directory, complete);
  script.answers["POST /v1/sync"] = test::answer(403, R"({"error":{"code":"forbidden","message":"not yours"}})");
  const test::ControlServer server(directory.path("s"), script);
  const auto ended = run(directory, directory.path());
  CHECK(ended.status == failed);
  CHECK(ended.err ==
        "vtmirror: the daemon refused: not yours\n"
        "vtmirror: only root and the daemon's user may start a cycle: try `sudo vtmirror sync`\n");
}

TEST_CASE("a daemon that cannot start a cycle says why, with advice on what it met and none on a stop") {
  const auto said = [](const std::string& code) {
    const test::Directory directory;
    auto script = daemon(directory, complete);
    script.answers["POST /v1/sync"] = test::answer(500, R"({"error":{"code":")" + code + R"(","message":"no"}})");
    const test::ControlServer server(directory.path("s"), script);
    const auto ended = run(directory, directory.path());
    CHECK(ended.status == failed);
    return ended.err;
  };
  CHECK(said("catalogue") == "vtmirror: no\nvtmirror: check the file that mirror.catalogue names\n");
  CHECK(said("cancelled") == "vtmirror: no\n");
}

TEST_CASE("a daemon that goes away before the cycle's end is a failure") {
  const test::Directory directory;
  auto script = daemon(directory, complete);
  script.after_sync = ": bye\n\n";
  const test::ControlServer server(directory.path("s"), script);
  const auto ended = run(directory, directory.path());
  CHECK(ended.status == failed);
  CHECK(ended.err.find("the daemon has gone before the cycle's end") != std::string::npos);
}

TEST_CASE("the daemon of another mirror, and none at all, are not asked") {
  const test::Directory directory;
  CHECK_FALSE(run(directory, directory.path()).status.has_value());
  test::ControlServer server(directory.path("s"), daemon(directory, complete));
  CHECK_FALSE(run(directory, directory.path("another")).status.has_value());
  CHECK(server.requests() == std::vector<std::string>{"GET /v1/status"});
}

TEST_CASE("an event of the daemon is logged like one of this process, and an unknown kind keeps its level") {
  const auto known = client::journal_event(R"({"type":"published","level":"info","message":"a.zip is here","more":1})");
  REQUIRE(known.has_value());
  CHECK(known->kind == ports::EventKind::published);
  CHECK(known->level == ports::Level::info);
  CHECK(known->message == "a.zip is here");
  CHECK(known->fields.empty());
  const ports::Event began{ports::EventKind::problem_began,
                           ports::Level::warning,
                           "the client secret is wrong",
                           {{"problem", "secret_refused"}, {"reason", "HTTP 401"}}};
  const auto problem = client::journal_event(report::event_json(began));
  REQUIRE(problem.has_value());
  CHECK_FALSE(terminal::is_logged(*problem, {}));
  for (const auto& kind : test::every<ports::EventKind>()) {
    const auto again = client::journal_event(report::event_json({kind.value, ports::Level::info, "as it is"}));
    REQUIRE(again.has_value());
    CHECK(again->kind == kind.value);
  }
  const auto unknown = client::journal_event(R"({"type":"danced","level":"error","message":"x"})");
  REQUIRE(unknown.has_value());
  CHECK(unknown->level == ports::Level::error);
  for (const auto* text : {"", "[]", "{}", R"({"level":"loud","message":"x"})", R"({"level":"info","message":""})"}) {
    INFO(text);
    CHECK_FALSE(client::journal_event(text).has_value());
  }
}

TEST_CASE("the daemon's transfers are drawn as ours are") {
  using Phase = ports::DownloadProgress::Phase;
  report::CycleStatus cycle;
  cycle.files = 6;
  cycle.done = 1;
  cycle.downloads = {{"a", 10, 4, 7, 2, 1}, {"b", 10, 10, 0, 0, 1}, {"c", 10, 0, 0, 0, 3}};
  const auto progress = client::progress_of(cycle);
  CHECK(progress.files == 6);
  CHECK(progress.done == 1);
  REQUIRE(progress.downloads.size() == 5);
  CHECK(progress.downloads[0].phase == Phase::fetching);
  CHECK(progress.downloads[1].phase == Phase::checking);
  CHECK(progress.downloads[2].phase == Phase::fetching);
  CHECK(progress.downloads[2].attempt == 3);
  // The two that the status does not name.
  CHECK(progress.downloads[3].phase == Phase::waiting);
  CHECK(progress.downloads[4].phase == Phase::waiting);
  CHECK(client::rates_of(cycle).files.at("a") == 7);
}

}  // namespace
}  // namespace vtmirror::cli
