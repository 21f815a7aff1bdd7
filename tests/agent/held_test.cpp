// What a cycle keeps only for a while: superseded bytes for their readers, and quarantined files.
#include "support/agent_rig.hpp"

#include <doctest/doctest.h>

#include <map>
#include <string>

using namespace vtmirror;
using namespace vtmirror::test;

namespace {

using std::chrono::hours;

const std::string next_bulk = "v1/public/bulk/year=2026/month=11/day=22/bulk-light-vehicle_22-11-2026.zip";

/// Another bulk file, and a delta of the same day that was replaced upstream.
void roll_over(AgentRig& rig) {
  rig.service.files.clear();
  rig.list(next_bulk, core::Kind::bulk, "2026-11-22", 50'000, 3);
  rig.list(delta_name(22), core::Kind::delta, "2026-11-22", 20'000, 4);
}

struct Rig : AgentRig {
  explicit Rig(MemoryStorage::Way way) : AgentRig(way) {
    settings.policy.keep_cycles = 1;
    list_wednesday(*this, 60'000);
    for (int day = 15; day <= 18; ++day) service.files.at(delta_name(day)).version = day;
    REQUIRE(cycle());
    promised = storage.manifest->chain.files;
    REQUIRE(promised.size() == 5);
  }

  /// As a reader of the first manifest does it.
  bool finds_all() const {
    for (const auto& file : promised) {
      const auto found = storage.published.find(file.name);
      const auto held = storage.held.find(file.sha256);
      const bool is_public = found != storage.published.end() &&
                             "digest-of-version-" + std::to_string(found->second.front()) == file.sha256;
      if (!is_public && held == storage.held.end()) return false;
    }
    return true;
  }

  std::vector<core::Held> promised;
};

}  // namespace

TEST_CASE("at whatever call a cycle dies, readers of the manifest before it find all that it names") {
  for (const auto way : {MemoryStorage::Way::rename, MemoryStorage::Way::copy}) {
    Rig counting(way);
    const int before = counting.storage.calls();
    roll_over(counting);
    REQUIRE(counting.cycle());
    CHECK(counting.storage.published.size() == 2);
    CHECK(counting.finds_all());
    const int calls = counting.storage.calls() - before;
    REQUIRE(calls > 20);
    for (int call = 1; call <= calls; ++call) {
      CAPTURE(call);
      Rig rig(way);
      roll_over(rig);
      rig.storage.die_at(call);
      static_cast<void>(rig.cycle());
      rig.storage.power_cut();
      CHECK(rig.finds_all());
      REQUIRE(rig.cycle());
      CHECK(rig.storage.published.size() == 2);
      CHECK(rig.finds_all());
    }
  }
}

TEST_CASE("superseded bytes are readable for a day, and the cycle after it removes them") {
  Rig rig(MemoryStorage::Way::rename);
  roll_over(rig);
  REQUIRE(rig.cycle());
  CHECK(rig.storage.held.size() == 5);
  rig.clock.advance(hours(23));
  REQUIRE(rig.cycle());
  CHECK(rig.finds_all());
  rig.clock.advance(hours(1));
  REQUIRE(rig.cycle());
  CHECK(rig.storage.held.empty());
}

TEST_CASE("a bulk file that upstream replaced stays readable by its digest") {
  Rig rig(MemoryStorage::Way::rename);
  const auto digest = rig.promised.front().sha256;
  rig.list(bulk_name, core::Kind::bulk, "2026-11-15", 61'000, 9);
  REQUIRE(rig.cycle());
  REQUIRE(rig.storage.held.contains(digest));
  CHECK(std::ssize(rig.storage.held.at(digest)) == 60'000);
  CHECK(rig.storage.held.size() == 1);
}

TEST_CASE("a held file that was damaged is not kept for readers, and neither are bytes that return as they were") {
  Rig rig(MemoryStorage::Way::rename);
  rig.storage.published[bulk_name].resize(1'000);
  REQUIRE(rig.cycle());
  CHECK(rig.holds_everything());
  CHECK(rig.storage.held.empty());
}

TEST_CASE("links that were made for a file that was lost or damaged lead to no other edition of it") {
  Rig rig(MemoryStorage::Way::rename);
  SUBCASE("it was removed, and nobody has noticed it") { rig.storage.published.erase(bulk_name); }
  SUBCASE("it was removed, and the catalogue knows it") {
    rig.storage.published.erase(bulk_name);
    REQUIRE(rig.catalogue.keep_condition(bulk_name, core::Condition::lost));
  }
  SUBCASE("it was damaged, and the catalogue knows it") {
    rig.storage.published[bulk_name].back() ^= 1;
    REQUIRE(rig.catalogue.keep_condition(bulk_name, core::Condition::damaged));
  }
  const auto before = rig.storage.links.current();
  rig.list(bulk_name, core::Kind::bulk, "2026-11-15", 61'000, 9);
  REQUIRE(rig.cycle());
  CHECK(rig.holds_everything());
  CHECK(rig.storage.links.current() != before);
  const auto& links = rig.storage.links.directories().at(before);
  REQUIRE(links.size() == rig.promised.size());
  for (std::size_t n = 0; n < links.size(); ++n) {
    const auto* bytes = rig.storage.bytes_of(links[n]);
    CHECK((bytes != nullptr) == (n > 0));
    if (bytes != nullptr) CHECK(MemoryStorage::digest(*bytes) == rig.promised[n].sha256);
  }
}

TEST_CASE("where a shelf cannot hold bytes they go at once, and the journal says so") {
  Rig rig(MemoryStorage::Way::rename);
  rig.storage.has_hard_links = false;
  rig.list(bulk_name, core::Kind::bulk, "2026-11-15", 61'000, 9);
  const auto report = rig.cycle();
  REQUIRE(report);
  CHECK(report->outcome == core::Outcome::complete);
  CHECK(rig.holds_everything());
  CHECK(rig.journal.count(ports::EventKind::superseded) == 2);
}

TEST_CASE("a quarantined file goes when its time after the listing is over, with its record") {
  AgentRig rig;
  list_wednesday(rig);
  rig.settings.policy.quarantine = hours(48);
  const auto file = delta_name(16);
  rig.storage.quarantined[file] = "it was damaged";
  REQUIRE(rig.catalogue.keep_quarantined({file, 20'000, {.detail = "it was damaged"}, rig.clock.now()}));
  rig.service.files.erase(file);
  REQUIRE(rig.cycle());
  rig.clock.advance(hours(47));
  REQUIRE(rig.cycle());
  CHECK(rig.storage.quarantined.contains(file));
  CHECK(rig.catalogue.quarantined().value().size() == 1);
  rig.clock.advance(hours(1));
  REQUIRE(rig.cycle());
  CHECK_FALSE(rig.storage.quarantined.contains(file));
  CHECK(rig.catalogue.quarantined().value().empty());
  CHECK(rig.journal.count(ports::EventKind::pruned) == 1);
}
