// A file whose check ends the process, as one that needs more memory than there is.
#include "support/agent_rig.hpp"
#include "vtmirror/report/sentence.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>

using namespace vtmirror;
using namespace vtmirror::test;

namespace {

const std::string deadly = delta_name(17);

struct Rig : AgentRig {
  Rig() { list_wednesday(*this); }
  /// Leaves the records of that many processes that were killed while they checked the file.
  void die(int times) {
    for (int n = 0; n < times; ++n) REQUIRE(catalogue.begin_check(deadly, 20'000, clock.now()).value() == n);
  }
};

}  // namespace

TEST_CASE("a file in whose check the process died three times is quarantined with that reason, and the rest comes") {
  Rig rig;
  rig.die(3);
  const auto report = rig.cycle();
  REQUIRE(report);
  CHECK(report->outcome == core::Outcome::partial);
  CHECK(rig.storage.published.size() == 4);
  CHECK_FALSE(rig.storage.published.contains(deadly));
  REQUIRE(rig.storage.quarantined.contains(deadly));
  CHECK(rig.storage.quarantined.at(deadly).find("ended 3 times") != std::string::npos);
  const auto quarantined = rig.catalogue.quarantined().value();
  REQUIRE(quarantined.size() == 1);
  CHECK(quarantined[0].cause == core::deadly_check(3));
  // Downloaded once, not twice.
  CHECK(rig.journal.count(ports::EventKind::fetch_retried) == 0);
  REQUIRE(report->failures.size() == 1);
  CHECK(core::is_deadly(report->failures[0].cause));
}

TEST_CASE("what is downloaded again after that is checked once more") {
  Rig rig;
  rig.die(3);
  REQUIRE(rig.cycle());
  SUBCASE("and published if it is whole") {
    REQUIRE(rig.cycle());
    CHECK(rig.holds_everything());
    CHECK(rig.catalogue.quarantined().value().empty());
  }
  SUBCASE("and quarantined again if the process dies once more") {
    REQUIRE(rig.catalogue.begin_check(deadly, 20'000, rig.clock.now()).value() == 2);
    REQUIRE(rig.cycle());
    CHECK_FALSE(rig.storage.published.contains(deadly));
    CHECK(rig.catalogue.quarantined().value().size() == 1);
  }
}

TEST_CASE("while one file is suspected, no other is checked beside it, whose death would count too") {
  for (const bool suspected : {false, true}) {
    CAPTURE(suspected);
    Rig rig;
    if (suspected) rig.die(1);
    std::mutex mutex;
    std::condition_variable other;
    int running = 0, most = 0;
    rig.storage.in_a_check = [&] {
      std::unique_lock lock(mutex);
      most = std::max(most, ++running);
      other.notify_all();
      other.wait_for(lock, std::chrono::milliseconds(100), [&] { return running > 1; });
      --running;
    };
    REQUIRE(rig.cycle());
    CHECK(rig.holds_everything());
    CHECK(most == (suspected ? 1 : 2));
  }
}

TEST_CASE("two deaths are not enough, and a check that ends takes them back") {
  Rig rig;
  rig.die(2);
  REQUIRE(rig.cycle());
  CHECK(rig.holds_everything());
  CHECK(rig.catalogue.begin_check(deadly, 20'000, rig.clock.now()).value() == 0);
}

TEST_CASE("another edition has died in no check, and after a day the file is checked once more") {
  Rig other;
  other.die(3);
  other.list(deadly, core::Kind::delta, "2026-11-17", 21'000);
  REQUIRE(other.cycle());
  CHECK(other.holds_everything());
  Rig later;
  later.die(3);
  later.clock.advance(std::chrono::hours(24));
  REQUIRE(later.cycle());
  CHECK(later.holds_everything());
}

TEST_CASE("a file on disk is not checked either that ends the process") {
  Rig rig;
  rig.storage.published[deadly] = numbered_bytes(1, 0, 20'000);
  rig.die(3);
  REQUIRE(rig.cycle());
  CHECK(rig.storage.quarantined.contains(deadly));
  CHECK(rig.catalogue.files().value().size() == 4);
}
