// A file that upstream replaced: at no instant does a text name bytes that the disk does not have.
#include "support/agent_rig.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

using namespace vtmirror;
using namespace vtmirror::test;

namespace {

struct Rig : AgentRig {
  explicit Rig(MemoryStorage::Way way = MemoryStorage::Way::rename) : AgentRig(way) {
    list_wednesday(*this, 60'000);
    REQUIRE(cycle());
  }
  void republish() {
    list(bulk_name, core::Kind::bulk, "2026-11-15", 61'000, 7);
    list(delta_name(17), core::Kind::delta, "2026-11-17", 22'000, 8);
  }
  /// The process dies at that call of what upstream has republished, and the next one ends whole.
  void die_at(int call) {
    republish();
    storage.die_at(call);
    static_cast<void>(cycle());
    storage.power_cut();
    CHECK_FALSE(storage.contradicts_itself());
    REQUIRE(cycle());
    CHECK(holds_everything());
    CHECK(storage.sums.size() == 5);
  }
  bool names(const std::string& name) const {
    return std::ranges::any_of(storage.sums, [&](const core::Held& file) { return file.name == name; });
  }
};

}  // namespace

TEST_CASE("at whatever call a republication dies, no text names bytes that the disk does not have") {
  for (const auto way : {MemoryStorage::Way::rename, MemoryStorage::Way::copy}) {
    Rig counting(way);
    const int before = counting.storage.calls();
    counting.republish();
    REQUIRE(counting.cycle());
    const int calls = counting.storage.calls() - before;
    REQUIRE(calls > 20);
    for (int call = 1; call <= calls; ++call) {
      CAPTURE(call);
      Rig rig(way);
      rig.die_at(call);
      CHECK_FALSE(rig.storage.contradicts_itself());
      CHECK(rig.storage.manifest->chain.complete);
      CHECK(rig.storage.manifest->edition.generation == rig.catalogue.generation().value());
    }
  }
}

TEST_CASE("at whatever call a start dies that finishes a republication, no text names bytes that are not there") {
  for (int call = 1; call < 40; ++call) {
    CAPTURE(call);
    Rig rig;
    core::PartialRecord verified{
        .name = delta_name(17), .kind = core::Kind::delta, .date = base::parse_date("2026-11-17").value()};
    verified.size = 22'000;
    verified.durable.add({0, 22'000});
    verified.verified = true;
    verified.sha256 = "digest-of-version-8";
    REQUIRE(rig.catalogue.keep_partial(verified));
    const auto bytes = numbered_bytes(8, 0, 22'000);
    rig.storage.unfinished[verified.name] = {bytes, bytes};
    rig.die_at(call);
  }
}

TEST_CASE("a disk that is full for ever leaves the old bytes under their name, or no name") {
  for (int texts = 0; texts < 8; ++texts) {
    CAPTURE(texts);
    Rig rig;
    rig.republish();
    rig.storage.texts_left = texts;
    for (int n = 0; n < 3; ++n) {
      static_cast<void>(rig.cycle());
      CHECK_FALSE(rig.storage.contradicts_itself());
    }
    rig.storage.texts_left.reset();
    REQUIRE(rig.cycle());
    CHECK(rig.holds_everything());
    CHECK(rig.storage.sums.size() == 5);
    CHECK_FALSE(rig.storage.contradicts_itself());
  }
}

TEST_CASE("each text of a republication is a generation of its own, and the notice waits for the one with the file") {
  Rig rig;
  REQUIRE(rig.catalogue.set_channels({{"hook", {core::Topic::published}}}));
  const auto before = rig.storage.manifest->edition.generation;
  rig.list(delta_name(17), core::Kind::delta, "2026-11-17", 22'000, 8);
  REQUIRE(rig.cycle());
  const auto changes = rig.catalogue.changes_since(before).value();
  REQUIRE(changes.size() == 2);
  CHECK(changes.front().kind == core::ChangeKind::superseded);
  CHECK(changes.back().generation == rig.storage.manifest->edition.generation);
  CHECK(changes.back().generation >= before + 2);
  CHECK(rig.catalogue.next_delivery("hook", core::DeliveryOrder::kept).value());

  Rig cut;
  REQUIRE(cut.catalogue.set_channels({{"hook", {core::Topic::published}}}));
  cut.list(delta_name(17), core::Kind::delta, "2026-11-17", 22'000, 8);
  cut.storage.texts_left = 3;  // of the start, of the plan, and without the name
  static_cast<void>(cut.cycle());
  CHECK_FALSE(cut.names(delta_name(17)));
  CHECK_FALSE(cut.catalogue.next_delivery("hook", core::DeliveryOrder::kept).value());
}

TEST_CASE("a first publication, and bytes that return as they were, cost no further text") {
  Rig rig;
  const int before = rig.storage.texts;
  rig.list(delta_name(19), core::Kind::delta, "2026-11-19", 20'000, 9);
  REQUIRE(rig.cycle());
  const int first = rig.storage.texts - before;
  const int between = rig.storage.texts;
  rig.storage.published.erase(delta_name(19));
  REQUIRE(rig.cycle());
  CHECK(rig.storage.texts - between == first);
  const int republished = rig.storage.texts;
  rig.list(delta_name(19), core::Kind::delta, "2026-11-19", 21'000, 10);
  REQUIRE(rig.cycle());
  CHECK(rig.storage.texts - republished == first + 1);
}
