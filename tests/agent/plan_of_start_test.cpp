#include "support/agent_rig.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

using namespace vtmirror;
using namespace vtmirror::test;

namespace {

const std::string today = delta_name(18);
const std::string next_bulk = "v1/public/bulk/year=2026/month=11/day=22/bulk-light-vehicle_22-11-2026.zip";

/// A mirror that holds Wednesday's files and was left by a process that died.
struct Mirror : AgentRig {
  explicit Mirror(MemoryStorage::Way way = MemoryStorage::Way::rename) : AgentRig(way) {
    list_wednesday(*this);
    REQUIRE(cycle());
  }

  /// Of today's delta, in another edition than the held one: this many bytes are on disk, and durable by the record.
  core::PartialRecord begin(std::int64_t on_disk, std::int64_t durable) {
    list(today, core::Kind::delta, "2026-11-18", 21'000, 2);
    const auto bytes = numbered_bytes(2, 0, on_disk);
    storage.unfinished[today] = {bytes, bytes};
    return partial(durable);
  }
  core::PartialRecord partial(std::int64_t durable) {
    core::PartialRecord record{
        .name = today, .kind = core::Kind::delta, .date = base::parse_date("2026-11-18").value()};
    record.size = 21'000;
    record.durable.add({0, durable});
    REQUIRE(catalogue.keep_partial(record));
    return record;
  }
  core::PartialRecord verified(std::int64_t on_disk) {
    auto record = begin(on_disk, 21'000);
    record.verified = true;
    record.sha256 = "digest-of-version-2";
    REQUIRE(catalogue.keep_partial(record));
    return record;
  }

  /// The plan that a process makes behind its recovery.
  base::Result<core::Plan> plan_after_recovery() {
    std::optional<base::Result<core::Plan>> plan;
    in_process([&](agent::Agent& agent) { return recover_and_plan(agent, plan); });
    return *plan;
  }
  static boost::asio::awaitable<void> recover_and_plan(agent::Agent& agent,
                                                       std::optional<base::Result<core::Plan>>& plan) {
    const auto recovered = co_await agent.recover();
    CHECK(recovered.has_value());
    plan = co_await agent.plan();
  }
};

core::Action action_for(const core::Plan& plan, const std::string& name) {
  const auto found = std::ranges::find(plan.actions, name, &core::Action::name);
  REQUIRE(found != plan.actions.end());
  return *found;
}

/// Asks for the plan, and checks that asking changed nothing and that a start plans the same.
core::Plan checked_plan(Mirror& mirror) {
  const auto published = mirror.storage.published;
  const auto unfinished = mirror.storage.unfinished.size();
  const auto partials = mirror.catalogue.partials().value().size();
  const auto generation = mirror.catalogue.generation().value();
  const auto logged = mirror.journal.events.size();
  const auto plan = mirror.plan_of_start();
  REQUIRE(plan);
  CHECK(mirror.storage.published == published);
  CHECK(mirror.storage.unfinished.size() == unfinished);
  CHECK(mirror.catalogue.partials().value().size() == partials);
  CHECK(mirror.catalogue.generation().value() == generation);
  CHECK(mirror.journal.events.size() == logged);
  const auto after = mirror.plan_after_recovery();
  REQUIRE(after);
  CHECK(*plan == *after);
  return *plan;
}

}  // namespace

TEST_CASE("the plan of a start fetches a file from nothing whose partial is gone or has less than its record says") {
  for (const std::int64_t on_disk : {-1, 100}) {
    CAPTURE(on_disk);
    Mirror mirror;
    mirror.begin(std::max<std::int64_t>(on_disk, 0), 9'000);
    if (on_disk < 0) mirror.storage.unfinished.clear();
    CHECK(action_for(*mirror.plan(), today).kind == core::ActionKind::resume);
    const auto plan = checked_plan(mirror);
    CHECK(action_for(plan, today).kind == core::ActionKind::fetch_again);
    CHECK(action_for(plan, today).durable == 0);
  }
}

TEST_CASE("the plan of a start resumes a partial that has what its record says") {
  Mirror mirror;
  mirror.begin(9'000, 9'000);
  const auto plan = checked_plan(mirror);
  CHECK(action_for(plan, today).kind == core::ActionKind::resume);
  CHECK(action_for(plan, today).durable == 9'000);
}

TEST_CASE("the plan of a start keeps a file whose publication was cut off, wherever that was") {
  SUBCASE("before the file was public") {
    Mirror mirror;
    mirror.verified(21'000);
    CHECK(action_for(*mirror.plan(), today).kind == core::ActionKind::resume);
    CHECK(action_for(checked_plan(mirror), today).kind == core::ActionKind::keep);
  }
  SUBCASE("behind the rename") {
    Mirror mirror;
    mirror.verified(0);
    mirror.storage.unfinished.clear();
    mirror.storage.published[today] = numbered_bytes(2, 0, 21'000);
    CHECK(action_for(*mirror.plan(), today).kind == core::ActionKind::adopt);
    CHECK(action_for(checked_plan(mirror), today).kind == core::ActionKind::keep);
  }
  SUBCASE("on a shelf of objects, which leaves the partial") {
    Mirror mirror(MemoryStorage::Way::copy);
    mirror.verified(21'000);
    mirror.storage.published[today] = numbered_bytes(2, 0, 21'000);
    CHECK(action_for(checked_plan(mirror), today).kind == core::ActionKind::keep);
  }
}

TEST_CASE("the plan of a start keeps a file that was withdrawn for a version that is lost, if it is listed again") {
  Mirror mirror;
  mirror.verified(21'000);
  mirror.storage.unfinished.clear();
  list_wednesday(mirror);
  REQUIRE(mirror.catalogue.keep_condition(today, core::Condition::lost));
  CHECK(action_for(*mirror.plan(), today).kind == core::ActionKind::adopt);
  CHECK(action_for(checked_plan(mirror), today).kind == core::ActionKind::keep);
}

TEST_CASE("the plan of a start fetches again what is held and gone from disk") {
  Mirror mirror;
  mirror.storage.published.erase(today);
  const auto plan = checked_plan(mirror);
  CHECK(action_for(plan, today).kind == core::ActionKind::fetch_again);
  CHECK(action_for(plan, today).reason == core::Reason::gone_from_disk);
}

TEST_CASE("the plan of a start has the space that unfinished files without a record take") {
  Mirror mirror;
  mirror.list(delta_name(19), core::Kind::delta, "2026-11-19", 20'000);
  const std::string orphan = "v1/public/delta/year=2026/month=10/day=1/delta-light-vehicle_01-10-2026.zip";
  mirror.storage.unfinished[orphan] = {std::string(15'000, 'x'), std::string(15'000, 'x')};
  mirror.storage.free = 10'000;
  CHECK(action_for(*mirror.plan(), delta_name(19)).kind == core::ActionKind::skip);
  const auto plan = mirror.plan_of_start();
  REQUIRE(plan);
  CHECK(action_for(*plan, delta_name(19)).kind == core::ActionKind::fetch);
  CHECK(mirror.storage.unfinished.contains(orphan));
}

TEST_CASE("the plan of a start fetches a file that is listed again while its removal is still to be finished") {
  for (const bool cut_off : {true, false}) {
    CAPTURE(cut_off);
    Mirror mirror;
    const auto bytes = mirror.storage.published.at(today);
    mirror.settings.policy.keep_cycles = 1;
    mirror.service.files.clear();
    mirror.list(next_bulk, core::Kind::bulk, "2026-11-22", 300'000);
    if (cut_off) mirror.storage.stuck.insert(today);
    REQUIRE(mirror.cycle());
    REQUIRE(mirror.storage.published.contains(today) == cut_off);
    mirror.storage.stuck.clear();
    mirror.storage.published[today] = bytes;
    list_wednesday(mirror);
    // What somebody put back after the removal is left alone.
    const auto planned = cut_off ? core::ActionKind::fetch : core::ActionKind::adopt;
    CHECK(action_for(*mirror.plan(), today).kind == planned);
    CHECK(action_for(checked_plan(mirror), today).kind == planned);
  }
}

TEST_CASE("the plan of a start keeps a file whose removal was cut off if it would not be removed now") {
  Mirror mirror;
  mirror.settings.policy.keep_cycles = 1;
  mirror.service.files.clear();
  mirror.list(next_bulk, core::Kind::bulk, "2026-11-22", 300'000);
  mirror.storage.stuck.insert(today);
  REQUIRE(mirror.cycle());
  mirror.storage.stuck.clear();
  SUBCASE("because the newer chain has lost a file, until that comes again") {
    mirror.storage.published.erase(next_bulk);
    const auto action = action_for(checked_plan(mirror), today);
    CHECK(action.kind == core::ActionKind::prune);
    CHECK(action.after_downloads);
  }
  SUBCASE("because the settings keep it") {
    mirror.settings.policy.keep_cycles = 0;
    CHECK(action_for(checked_plan(mirror), today).kind == core::ActionKind::keep);
  }
}

TEST_CASE("a plan counts the space that a cycle releases before its own") {
  Mirror mirror;
  for (const int version : {5, 2}) {
    mirror.list(today, core::Kind::delta, "2026-11-18", 20'500 + version, version);
    REQUIRE(mirror.cycle());  // the edition before is held for its readers
  }
  mirror.list(delta_name(19), core::Kind::delta, "2026-11-19", 25'000);
  mirror.storage.free = 10'000;
  CHECK(action_for(*mirror.plan(), delta_name(19)).kind == core::ActionKind::skip);
  mirror.clock.advance(core::held_for + std::chrono::hours(1));
  CHECK(action_for(*mirror.plan(), delta_name(19)).kind == core::ActionKind::fetch);
  CHECK(action_for(checked_plan(mirror), delta_name(19)).kind == core::ActionKind::fetch);
  REQUIRE(mirror.cycle());
  CHECK(mirror.storage.published.contains(delta_name(19)));
}

namespace {

/// What an agent plans while a removal is half done, and after a recovery has decided on it.
struct HalfRemoved {
  std::optional<base::Result<core::Plan>> plan;
  std::optional<base::Result<core::Plan>> after_repair;
};

boost::asio::awaitable<void> prune_and_plan(agent::Agent& agent, Mirror& mirror, agent::CycleSettings prune_by,
                                            HalfRemoved& planned) {
  const auto recovered = co_await agent.recover();
  CHECK(recovered.has_value());
  mirror.storage.stuck.insert(delta_name(16));
  const auto pruned = co_await agent.prune(std::move(prune_by));
  CHECK(pruned->failures.size() == 1);
  mirror.storage.stuck.clear();
  const auto generation = mirror.catalogue.generation().value();
  planned.plan = co_await agent.plan();
  CHECK(mirror.catalogue.generation().value() == generation);
  CHECK(mirror.storage.published.contains(delta_name(16)));
  const auto again = co_await agent.recover();
  CHECK(again.has_value());
  planned.after_repair = co_await agent.plan();
}

}  // namespace

TEST_CASE("while a removal is half done, an agent's plan is that of its next cycle, which first ends the removal") {
  for (const bool keeps : {false, true}) {
    CAPTURE(keeps);
    Mirror mirror;
    mirror.clock.advance(std::chrono::days(4));
    mirror.settings.policy.keep_cycles = keeps ? 2 : 0;
    mirror.service.files.clear();
    mirror.list(next_bulk, core::Kind::bulk, "2026-11-22", 300'000);
    REQUIRE(mirror.cycle());
    auto prune_by = mirror.settings;
    prune_by.policy.keep_cycles = 1;
    if (!keeps) {
      mirror.settings = prune_by;
      // A file that is listed again while its removal is to be finished.
      mirror.list(delta_name(16), core::Kind::delta, "2026-11-16", 20'000);
    }
    HalfRemoved planned;
    mirror.in_process([&](agent::Agent& agent) { return prune_and_plan(agent, mirror, prune_by, planned); });
    REQUIRE(*planned.plan);
    REQUIRE(*planned.after_repair);
    CHECK(**planned.plan == **planned.after_repair);
    const auto kind = keeps ? core::ActionKind::keep : core::ActionKind::fetch;
    CHECK(action_for(**planned.plan, delta_name(16)).kind == kind);
  }
}

namespace {

/// Asks for a plan, lets a cycle run after `meanwhile`, and asks again.
boost::asio::awaitable<void> plan_around_a_cycle(agent::Agent& agent, std::function<void()> meanwhile,
                                                 std::vector<base::Result<core::Plan>>& plans) {
  const auto recovered = co_await agent.recover();
  CHECK(recovered.has_value());
  auto before = co_await agent.plan();
  plans.push_back(std::move(before));
  meanwhile();
  const auto cycle = co_await agent.cycle();
  CHECK(cycle.has_value());
  auto after = co_await agent.plan();
  plans.push_back(std::move(after));
}

}  // namespace

TEST_CASE("a plan after a cycle is made over a listing that is no older than the cycle's") {
  Mirror mirror;
  mirror.settings.policy.keep_cycles = 1;
  const auto roll_over = [&] {
    mirror.service.files.clear();
    mirror.list(next_bulk, core::Kind::bulk, "2026-11-22", 300'000);
  };
  std::vector<base::Result<core::Plan>> plans;
  mirror.in_process([&](agent::Agent& agent) { return plan_around_a_cycle(agent, roll_over, plans); });
  REQUIRE(plans.size() == 2);
  REQUIRE(plans[0]);
  REQUIRE(plans[1]);
  CHECK(action_for(*plans[0], today).kind == core::ActionKind::keep);
  CHECK(plans[1]->bytes_to_fetch() == 0);
  for (const auto& action : plans[1]->actions) CHECK(action.name == next_bulk);
}

TEST_CASE("a plan after a cycle does not repeat the error of a plan before it") {
  Mirror mirror;
  mirror.service.listing_script = [](int) { return ports::Response{.status = 500}; };
  std::vector<base::Result<core::Plan>> plans;
  mirror.in_process([&](agent::Agent& agent) {
    return plan_around_a_cycle(
        agent, [&] { mirror.service.listing_script = {}; }, plans);
  });
  REQUIRE(plans.size() == 2);
  CHECK_FALSE(plans[0]);
  CHECK(plans[1]);
}

TEST_CASE("the plan of a start keeps what is on disk when the catalogue is lost") {
  Mirror mirror;
  mirror.catalogue = catalogue::Catalogue::open(":memory:", catalogue::Access::read_write).value();
  mirror.storage.published[delta_name(17)] = numbered_bytes(3, 0, 20'000);
  CHECK(action_for(*mirror.plan(), today).kind == core::ActionKind::adopt);
  const auto plan = checked_plan(mirror);
  CHECK(action_for(plan, today).kind == core::ActionKind::keep);
  CHECK(action_for(plan, delta_name(17)).kind == core::ActionKind::adopt);
}
