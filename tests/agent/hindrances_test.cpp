// A directory that cannot be read, and something foreign in the place of a text: each is a problem, and stops nothing
// else.
#include "support/agent_rig.hpp"
#include "vtmirror/agent/verification.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

using namespace vtmirror;
using namespace vtmirror::test;

namespace {

const std::string deltas = "v1/public/delta/year=2026";

struct Mirror : AgentRig {
  Mirror() {
    list_wednesday(*this);
    REQUIRE(cycle());
  }
  /// A process that starts and runs a cycle.
  base::Result<core::CycleReport> run() {
    std::optional<base::Result<core::CycleReport>> report;
    in_process([&](agent::Agent& agent) { return start_and_cycle(agent, report, unrepaired); });
    return *report;
  }
  static boost::asio::awaitable<void> start_and_cycle(agent::Agent& agent,
                                                      std::optional<base::Result<core::CycleReport>>& report,
                                                      std::vector<core::Cause>& unrepaired) {
    const auto recovered = co_await agent.recover();
    if (!recovered) {
      report = recovered.error();
      co_return;
    }
    report = co_await agent.cycle();
    unrepaired = agent.unrepaired();
  }
  bool names(const std::string& name) const {
    return std::ranges::find(storage.manifest->chain.files, name, &core::Held::name) !=
           storage.manifest->chain.files.end();
  }
  std::vector<core::Cause> unrepaired;  ///< by the last process
};

}  // namespace

TEST_CASE("files below a directory that cannot be read are neither lost nor replaced, and everything else continues") {
  Mirror mirror;
  const auto texts = mirror.storage.manifest->edition.generation;
  mirror.storage.shut = {deltas};
  mirror.list(bulk_name, core::Kind::bulk, "2026-11-15", 310'000, 2);
  mirror.list(delta_name(19), core::Kind::delta, "2026-11-19", 20'000);
  const auto report = mirror.run();
  REQUIRE(report);
  CHECK(report->outcome == core::Outcome::partial);
  REQUIRE(mirror.unrepaired.size() == 1);
  CHECK(mirror.unrepaired[0].subject == deltas);
  CHECK(core::hindrance_of(mirror.unrepaired[0]) == core::Hindrance::unread_directory);
  // The start and the cycle found it, and one line is enough.
  const auto is_of_it = [](const ports::Event& event) {
    return event.kind == ports::EventKind::recovered && event.level == ports::Level::error;
  };
  CHECK(std::ranges::count_if(mirror.journal.events, is_of_it) == 1);
  // What lies elsewhere is published; what would lie there is named by its failure.
  CHECK(mirror.storage.published.at(bulk_name) == numbered_bytes(2, 0, 310'000));
  CHECK(std::ranges::any_of(report->failures, [](const auto& each) { return each.cause.subject == delta_name(19); }));
  CHECK(mirror.names(delta_name(18)));
  CHECK(mirror.storage.manifest->edition.generation > texts);
  for (const auto& file : mirror.catalogue.files().value()) CHECK(file.condition == core::Condition::whole);

  mirror.storage.shut.clear();
  CHECK(mirror.run());
  CHECK(mirror.unrepaired.empty());
  CHECK(mirror.holds_everything());
}

TEST_CASE("nothing is pruned while a directory cannot be read") {
  Mirror mirror;
  mirror.settings.policy.keep_cycles = 1;
  const auto next = std::string("v1/public/bulk/year=2026/month=11/day=22/bulk-light-vehicle_22-11-2026.zip");
  mirror.service.files.clear();
  mirror.list(next, core::Kind::bulk, "2026-11-22", 300'000);
  mirror.list(delta_name(22), core::Kind::delta, "2026-11-22", 20'000);
  mirror.storage.shut = {"v1/public/delta/year=2026/month=11/day=15"};
  REQUIRE(mirror.run());
  CHECK(mirror.storage.published.contains(next));
  CHECK(mirror.storage.published.contains(bulk_name));
  mirror.storage.shut.clear();
  REQUIRE(mirror.run());
  CHECK_FALSE(mirror.storage.published.contains(bulk_name));
}

TEST_CASE("a rebuilt catalogue keeps what the manifest names below a directory that cannot be read") {
  Mirror mirror;
  mirror.catalogue = catalogue::Catalogue::open(":memory:", catalogue::Access::read_write).value();
  mirror.storage.shut = {deltas};
  // The plan of this start says what the start does.
  const auto plan = mirror.plan_of_start();
  REQUIRE(plan);
  for (const auto& action : plan->actions) {
    CAPTURE(action.name);
    CHECK(action.kind == core::ActionKind::keep);
  }
  CHECK(plan->actions.size() == 5);
  REQUIRE(mirror.run());
  CHECK(mirror.catalogue.files().value().size() == 5);
  CHECK(mirror.unrepaired.size() == 1);
  mirror.storage.shut.clear();
  REQUIRE(mirror.run());
  CHECK(mirror.unrepaired.empty());
  CHECK(mirror.holds_everything());
}

TEST_CASE("files are published while something foreign lies in the place of a text, and notices about them wait") {
  Mirror mirror;
  REQUIRE(mirror.catalogue.set_channels({{"webhook", {core::Topic::published}}}));
  mirror.storage.obstructed = {"current"};
  mirror.list(delta_name(19), core::Kind::delta, "2026-11-19", 20'000);
  const auto report = mirror.run();
  REQUIRE(report);
  CHECK(report->outcome == core::Outcome::complete);
  CHECK(mirror.holds_everything());
  CHECK(mirror.names(delta_name(19)));
  REQUIRE(mirror.unrepaired.size() == 1);
  CHECK(mirror.unrepaired[0].subject == "current");
  const auto waiting = [&] { return mirror.catalogue.next_delivery("webhook", core::DeliveryOrder::kept); };
  CHECK(mirror.catalogue.deliveries().value().size() == 1);
  CHECK_FALSE(waiting().value());

  mirror.storage.obstructed.clear();
  CHECK(mirror.run());
  CHECK(mirror.unrepaired.empty());
  CHECK(waiting().value());
}

namespace {

boost::asio::awaitable<void> verify(agent::Ports ports, std::shared_ptr<agent::Agent> agent,
                                    std::optional<core::VerificationReport>& report) {
  agent::Verification work(ports, {});
  const auto ended = co_await work.run(std::move(agent));
  if (ended) report = work.report();
}

}  // namespace

TEST_CASE("a verification names the files below a directory that cannot be read, and reads all others") {
  Mirror mirror;
  const auto hidden = delta_name(15);
  mirror.storage.shut = {"v1/public/delta/year=2026/month=11/day=15"};
  mirror.storage.unreadable = {hidden};
  mirror.storage.published.at(delta_name(17))[99] ^= 1;
  std::optional<core::VerificationReport> report;
  mirror.work_in_process(
      [&](agent::Ports ports, std::shared_ptr<agent::Agent> agent) { return verify(ports, std::move(agent), report); });
  REQUIRE(report);
  CHECK(report->files == 5);
  REQUIRE(report->findings.size() == 2);
  CHECK(report->findings[0].name == hidden);
  CHECK(report->findings[0].verdict == core::Verdict::unread);
  CHECK(report->findings[1].verdict == core::Verdict::damaged);
  CHECK_FALSE(core::is_clean(*report));
  // Nothing is known of it: it counts as it was last known.
  CHECK(mirror.catalogue.file(hidden).value()->condition == core::Condition::whole);
}
