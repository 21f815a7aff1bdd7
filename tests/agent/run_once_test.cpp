// What surrounds the work of a process that looks after a mirror once: recovery, judgement, notices.
#include "vtmirror/agent/run_once.hpp"
#include "agent/outbox_rig.hpp"
#include "support/agent_rig.hpp"
#include "support/utc.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

using namespace vtmirror;
using namespace vtmirror::test;

namespace {

/// What a run met, in this order.
struct Met {
  std::vector<std::string> steps;
  std::optional<base::Result<core::CycleReport>> report;
  std::vector<core::Problem> problems;
};

/// The first part of a run's work, after which it makes a cycle.
using First = std::function<base::Result<void>()>;

boost::asio::awaitable<base::Result<void>> work(agent::RunOnce& run, First first, Met& met) {
  met.steps.emplace_back("work");
  auto done = first();
  if (!done) co_return done;
  auto report = co_await run.cycle();
  met.report.emplace(std::move(report));
  co_return done;
}

boost::asio::awaitable<void> run_once(agent::Ports ports, std::shared_ptr<agent::Agent> agent, First first, Met& met) {
  const agent::HealthSettings settings{.zone = std::make_shared<Utc>()};
  agent::Health health(ports, settings);
  const auto channel = std::make_shared<ScriptedChannel>(ports.clock, "hook", core::DeliveryOrder::kept,
                                                         std::vector{core::Topic::published, core::Topic::warning});
  channel->refuse = [&met](const core::Notice& notice) {
    met.steps.push_back("delivery of " + std::string(core::name(notice.topic)));
    return std::optional<base::Error>();
  };
  agent::Outbox outbox({ports.loop, ports.clock, ports.journal, ports.stop, ports.catalogue}, {channel});
  agent::RunOnce run(*agent, &health, &outbox);
  const agent::RunOnce::Work all = [&] { return work(run, first, met); };
  const agent::RunOnce::Ended ended = [&](const base::Result<void>& done) {
    met.problems = health.problems();
    met.steps.emplace_back(done ? "ended" : "failed");
  };
  co_await run.run(all, ended);
}

base::Result<void> nothing_first() { return {}; }

Met run_once(AgentRig& rig, const First& first = nothing_first) {
  Met met;
  rig.work_in_process([&](const agent::Ports& ports, const std::shared_ptr<agent::Agent>& agent) {
    return run_once(ports, agent, first, met);
  });
  return met;
}

bool has(const std::vector<core::Problem>& problems, core::ProblemCode code) {
  return std::ranges::find(problems, code, &core::Problem::code) != problems.end();
}

}  // namespace

TEST_CASE("a run recovers before its work, judges after it, and delivers once its end was said") {
  AgentRig rig;
  list_wednesday(rig);
  const auto met = run_once(rig);
  REQUIRE(met.report);
  REQUIRE(*met.report);
  CHECK((*met.report)->outcome == core::Outcome::complete);
  REQUIRE(met.steps.size() > 2);
  CHECK(met.steps[0] == "work");
  CHECK(met.steps[1] == "ended");
  CHECK(std::count(met.steps.begin() + 2, met.steps.end(), "delivery of published") == (*met.report)->files);
}

TEST_CASE("what recovery and cycle could not repair is a problem, which is stored when the end is said") {
  AgentRig rig;
  list_wednesday(rig);
  REQUIRE(rig.cycle());
  rig.storage.obstructed = {"current"};
  rig.list(delta_name(19), core::Kind::delta, "2026-11-19", 20'000);
  const auto met = run_once(rig);
  CHECK(has(met.problems, core::ProblemCode::repair_failed));
  CHECK(rig.catalogue.problems().value() == met.problems);
}

TEST_CASE("a cycle that could not try anything is judged too, and its notice follows its end") {
  AgentRig rig;
  list_wednesday(rig);
  REQUIRE(rig.cycle());
  rig.service.files.clear();
  const auto met = run_once(rig);
  REQUIRE(met.report);
  CHECK_FALSE(*met.report);
  CHECK(has(met.problems, core::ProblemCode::empty_listing));
  CHECK(rig.catalogue.problems().value() == met.problems);
  REQUIRE(met.steps.size() > 2);
  CHECK(met.steps[1] == "ended");
  CHECK(std::count(met.steps.begin() + 2, met.steps.end(), "delivery of warning") == std::ssize(met.steps) - 2);
}

TEST_CASE("after work that failed nothing is judged and nothing is delivered") {
  AgentRig rig;
  list_wednesday(rig);
  const auto met = run_once(rig, [] { return base::Result<void>(base::Error{base::Errc::io, "the disk failed"}); });
  CHECK(met.steps == std::vector<std::string>{"work", "failed"});
  CHECK_FALSE(met.report);
}
