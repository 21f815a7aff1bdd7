// The topic `chain`: one notice after a cycle that changed the chain, when the manifest that says so is on the shelf.
#include "support/agent_rig.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

using namespace vtmirror;
using namespace vtmirror::test;

namespace {

using Names = std::vector<std::string>;

struct Rig : AgentRig {
  Rig() {
    REQUIRE(catalogue.set_channels({{"hook", {core::Topic::chain}}}));
    list_wednesday(*this);
  }
  core::Outcome end_of_cycle() {
    const auto report = cycle();
    REQUIRE(report);
    return report->outcome;
  }
  /// What waits for the hook, which then counts as delivered. Each may be sent: the manifest is at least as new.
  std::vector<core::ChainNews> sent() {
    std::vector<core::ChainNews> news;
    for (;;) {
      const auto next = catalogue.next_delivery("hook", core::DeliveryOrder::kept).value();
      if (!next) break;
      REQUIRE(next->notice.topic == core::Topic::chain);
      REQUIRE(next->notice.chain);
      CHECK(next->notice.chain->generation <= storage.manifest->edition.generation);
      news.push_back(*next->notice.chain);
      REQUIRE(catalogue.keep_delivered("hook", next->notice.id, core::DeliveryOrder::kept, clock.now()));
    }
    CHECK(catalogue.deliveries().value().empty());
    return news;
  }
  /// The only one, of the chain that the manifest has now.
  core::ChainNews only() {
    const auto news = sent();
    REQUIRE(news.size() == 1);
    CHECK(news[0].session == storage.manifest->edition.session);
    CHECK(news[0].generation == storage.manifest->edition.generation);
    CHECK(news[0].complete == storage.manifest->chain.complete);
    CHECK(news[0].through == storage.manifest->chain.through);
    return news[0];
  }
};

}  // namespace

TEST_CASE("a cycle that publishes five files ends with one notice of the chain, which names them in load order") {
  Rig rig;
  CHECK(rig.end_of_cycle() == core::Outcome::complete);
  const auto news = rig.only();
  CHECK(news.complete);
  CHECK(news.added == Names{bulk_name, delta_name(15), delta_name(16), delta_name(17), delta_name(18)});
  CHECK(news.replaced.empty());
  CHECK(news.removed.empty());
}

TEST_CASE("a cycle that changes nothing in the chain sends no notice of it") {
  Rig rig;
  rig.end_of_cycle();
  rig.sent();
  rig.end_of_cycle();
  CHECK(rig.sent().empty());
  rig.service.token_script = [](int) { return ports::Response{.status = 500, .body = ""}; };
  CHECK(rig.cycle().has_error());
  CHECK(rig.sent().empty());
}

TEST_CASE("the notice says which files were added, replaced and removed since the one before") {
  Rig rig;
  rig.end_of_cycle();
  rig.sent();
  rig.list(delta_name(19), core::Kind::delta, "2026-11-19", 20'000);
  rig.list(delta_name(17), core::Kind::delta, "2026-11-17", 22'000, 8);
  rig.end_of_cycle();
  auto news = rig.only();
  CHECK(news.added == Names{delta_name(19)});
  CHECK(news.replaced == Names{delta_name(17)});
  CHECK(news.removed.empty());

  rig.service.files.clear();
  const auto next_bulk = "v1/public/bulk/year=2026/month=11/day=22/bulk-light-vehicle_22-11-2026.zip";
  rig.list(next_bulk, core::Kind::bulk, "2026-11-22", 300'000);
  rig.list(delta_name(22), core::Kind::delta, "2026-11-22", 20'000);
  rig.end_of_cycle();
  news = rig.only();
  CHECK(news.added == Names{next_bulk, delta_name(22)});
  CHECK(news.removed.size() == 6);
}

TEST_CASE("a chain that changes without a publication is announced too, in a generation of its own") {
  Rig rig;
  rig.end_of_cycle();
  const auto first = rig.only();

  // A file is lost that cannot come back now.
  rig.storage.published.erase(delta_name(17));
  rig.service.store_script = [](const StoreRequest&, StoreAnswer& answer) { answer = ScriptedService::refusal(404); };
  CHECK(rig.end_of_cycle() == core::Outcome::partial);
  const auto lost = rig.only();
  CHECK(lost.generation > first.generation);
  CHECK_FALSE(lost.complete);
  CHECK(lost.removed == Names{delta_name(17), delta_name(18)});
  CHECK(rig.catalogue.changes_since(first.generation).value().empty());

  // It comes back with the bytes that it had.
  rig.service.store_script = {};
  CHECK(rig.end_of_cycle() == core::Outcome::complete);
  const auto back = rig.only();
  CHECK(back.generation > lost.generation);
  CHECK(back.complete);
  CHECK(back.added == Names{delta_name(17), delta_name(18)});
}

TEST_CASE("a listed file that becomes missing, and a day that becomes absent, are announced") {
  Rig rig;
  rig.end_of_cycle();
  const auto first = rig.only();

  rig.clock.advance(std::chrono::days(2));
  rig.list(delta_name(20), core::Kind::delta, "2026-11-20", 20'000);
  rig.service.store_script = [](const StoreRequest&, StoreAnswer& answer) { answer = ScriptedService::refusal(404); };
  CHECK(rig.end_of_cycle() == core::Outcome::partial);
  const auto missing = rig.only();
  CHECK(missing.generation > first.generation);
  CHECK_FALSE(missing.complete);
  CHECK(missing.through == first.through);
  CHECK(missing.added.empty());
  CHECK(rig.storage.manifest->chain.absent_upstream.size() == 1);
}

TEST_CASE("a process that is killed at any call announces nothing twice, and its successor the chain that there is") {
  Rig counting;
  counting.end_of_cycle();
  counting.sent();
  counting.list(delta_name(19), core::Kind::delta, "2026-11-19", 20'000);
  const int before = counting.storage.calls();
  counting.end_of_cycle();
  const int calls = counting.storage.calls() - before;
  REQUIRE(calls > 10);
  for (int call = 1; call <= calls; ++call) {
    CAPTURE(call);
    Rig rig;
    rig.end_of_cycle();
    rig.sent();
    rig.list(delta_name(19), core::Kind::delta, "2026-11-19", 20'000);
    rig.storage.die_at(call);
    static_cast<void>(rig.cycle());
    rig.storage.power_cut();
    rig.end_of_cycle();
    const auto news = rig.sent();
    REQUIRE_FALSE(news.empty());
    CHECK(news.back().complete);
    CHECK(news.back().generation == rig.storage.manifest->edition.generation);
    int added = 0;
    for (const auto& each : news) added += static_cast<int>(std::ranges::count(each.added, delta_name(19)));
    CHECK(added == 1);
  }
}

TEST_CASE("a publication that only a start finishes is announced by that start") {
  Rig rig;
  rig.end_of_cycle();
  rig.sent();
  core::PartialRecord verified{
      .name = delta_name(19), .kind = core::Kind::delta, .date = base::parse_date("2026-11-19").value()};
  verified.size = 20'000;
  verified.durable.add({0, 20'000});
  verified.verified = true;
  verified.sha256 = "digest-of-version-1";
  REQUIRE(rig.catalogue.keep_partial(verified));
  const auto bytes = numbered_bytes(1, 0, 20'000);
  rig.storage.unfinished[verified.name] = {bytes, bytes};
  bool recovered = false;
  rig.in_process([&recovered](agent::Agent& agent) { return AgentRig::only_recover(agent, recovered); });
  REQUIRE(recovered);
  CHECK(rig.only().added == Names{delta_name(19)});
}

TEST_CASE("no notice of the chain is sent before its manifest is on the shelf") {
  Rig rig;
  rig.end_of_cycle();
  rig.sent();
  rig.list(delta_name(19), core::Kind::delta, "2026-11-19", 20'000);
  rig.storage.texts_left = 2;
  static_cast<void>(rig.cycle());
  CHECK_FALSE(rig.catalogue.next_delivery("hook", core::DeliveryOrder::kept).value());
  rig.storage.texts_left.reset();
  rig.end_of_cycle();
  CHECK(rig.only().added == Names{delta_name(19)});
}
