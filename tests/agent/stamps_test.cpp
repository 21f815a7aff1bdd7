// What a reader of manifest.json alone sees of the daemon: when it asked, when it asks next, and when that is overdue.
#include "support/agent_rig.hpp"
#include "support/utc.hpp"

#include <doctest/doctest.h>

#include <functional>
#include <memory>

using namespace vtmirror;
using namespace vtmirror::test;

namespace {

base::Time at(const char* text) { return base::parse_time(text).value(); }

agent::NextCheck next_at(const char* text) { return {.at = at(text), .schedule = {}, .zone = std::make_shared<Utc>()}; }

struct Rig : AgentRig {
  /// A daemon's process: after its cycle it stamps the manifest once for each of `checks`, with `between` before each.
  void live(
      std::vector<agent::NextCheck> checks, std::function<void()> between = [] {}) {
    in_process([&](agent::Agent& agent) { return run(agent, checks, between, cycles); });
  }
  static boost::asio::awaitable<void> run(agent::Agent& agent, const std::vector<agent::NextCheck>& checks,
                                          const std::function<void()>& between, int cycles) {
    const auto recovered = co_await agent.recover();
    CHECK(recovered);
    for (int n = 0; n < cycles; ++n) {
      const auto report = co_await agent.cycle();
      static_cast<void>(report.has_value());
    }
    for (const auto& check : checks) {
      between();
      co_await agent.stamp(check);
    }
  }
  int cycles = 1;
};

const auto tomorrow = next_at("2026-11-19T08:03:10Z");

}  // namespace

TEST_CASE(
    "after a cycle the manifest says when the service is asked next, in the same generation and without a notice") {
  Rig rig;
  list_wednesday(rig);
  std::int64_t generation = 0;
  std::size_t notices = 0;
  REQUIRE(rig.catalogue.set_channels({{"hook", {core::Topic::published, core::Topic::cycle}}}));
  rig.live({tomorrow}, [&] {
    generation = rig.storage.manifest->edition.generation;
    notices = rig.catalogue.deliveries().value().size();
    CHECK_FALSE(rig.storage.manifest->next_check);
    CHECK_FALSE(rig.storage.manifest->stale_after);
  });
  CHECK(rig.storage.manifest->next_check == at("2026-11-19T08:03:10Z"));
  CHECK(rig.storage.manifest->stale_after == at("2026-11-19T14:00:00Z"));
  CHECK(rig.storage.manifest->edition.generation == generation);
  CHECK(rig.catalogue.generation().value() == generation);
  CHECK(rig.catalogue.deliveries().value().size() == notices);
}

TEST_CASE("while today's delta is not listed the mirror is stale when today's tries end") {
  Rig rig;
  list_wednesday(rig);
  rig.service.files.erase(delta_name(18));
  rig.live({next_at("2026-11-18T08:27:00Z")});
  CHECK(rig.storage.manifest->next_check == at("2026-11-18T08:27:00Z"));
  CHECK(rig.storage.manifest->stale_after == at("2026-11-18T14:00:00Z"));
}

TEST_CASE("a service that cannot be reached is asked again, and the mirror becomes stale all the same") {
  Rig rig;
  list_wednesday(rig);
  rig.live({tomorrow});
  const auto checked_at = rig.storage.manifest->checked_at;
  rig.clock.advance(std::chrono::hours(24));
  rig.service.token_script = [](int) { return ports::Response{.status = 500, .body = ""}; };
  rig.live({next_at("2026-11-19T08:40:00Z")});
  CHECK(rig.storage.manifest->checked_at == checked_at);
  CHECK(rig.storage.manifest->next_check == at("2026-11-19T08:40:00Z"));
  CHECK(rig.storage.manifest->stale_after == at("2026-11-19T14:00:00Z"));
}

TEST_CASE("stamps that are already right are not written again, and stamps that could not be written are") {
  Rig rig;
  list_wednesday(rig);
  int stamps = 0;
  int calls = 0;
  rig.live({tomorrow, tomorrow, next_at("2026-11-20T08:03:10Z"), next_at("2026-11-20T08:03:10Z")}, [&] {
    ++stamps;
    if (stamps == 2) calls = rig.storage.calls();
    if (stamps == 3) {
      CHECK(rig.storage.calls() == calls);
      rig.storage.die_at(1);
    }
    if (stamps == 4) {
      CHECK(rig.storage.manifest->next_check == at("2026-11-19T08:03:10Z"));
      rig.storage.power_cut();
    }
  });
  CHECK(rig.storage.manifest->next_check == at("2026-11-20T08:03:10Z"));
}

TEST_CASE("a process without a daemon knows no next check, and its manifest names none") {
  Rig rig;
  list_wednesday(rig);
  rig.live({tomorrow});
  rig.live({});
  CHECK_FALSE(rig.storage.manifest->next_check);
  CHECK_FALSE(rig.storage.manifest->stale_after);
  CHECK(rig.storage.manifest->checked_at);
}

TEST_CASE("before the first listing there is nothing to stamp, and the manifest is left as it was") {
  Rig rig;
  rig.cycles = 0;
  int calls = 0;
  rig.live({tomorrow}, [&] { calls = rig.storage.calls(); });
  CHECK(rig.storage.calls() == calls);
}
