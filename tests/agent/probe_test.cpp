// Files that upstream republished with the same size and date: how they are found, and what asking may cost.
#include "support/agent_rig.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

using namespace vtmirror;
using namespace vtmirror::test;

namespace {

using std::chrono::hours;

struct Rig : AgentRig {
  explicit Rig(MemoryStorage::Way way = MemoryStorage::Way::rename) : AgentRig(way) {
    list_wednesday(*this);
    REQUIRE(cycle());
    service.requests.clear();
  }
  /// How often each file was asked for one byte.
  std::map<std::string, int> probes() const {
    std::map<std::string, int> counts;
    for (const auto& request : service.requests)
      if (request.range == core::Range{0, 1}) ++counts[request.name];
    return counts;
  }
  core::Outcome next_day() {
    clock.advance(hours(24));
    return cycle().value().outcome;
  }
};

const std::string replaced = delta_name(17);

}  // namespace

TEST_CASE("a file republished with the same size and date is found within a day, and replaced") {
  for (const auto way : {MemoryStorage::Way::rename, MemoryStorage::Way::copy}) {
    Rig rig(way);
    rig.service.files.at(replaced).version = 2;
    REQUIRE(rig.cycle());
    CHECK_FALSE(rig.holds_everything());
    CHECK(rig.next_day() == core::Outcome::complete);
    CHECK(rig.holds_everything());
    const auto changes = rig.catalogue.changes_since(5).value();
    CHECK(std::ranges::count(changes, core::ChangeKind::superseded, &core::Change::kind) == 1);
    CHECK(rig.storage.held.contains("digest-of-version-1"));
  }
}

TEST_CASE("each held and listed file is asked for one byte on a day, however many cycles it has") {
  Rig rig;
  const auto generation = rig.catalogue.generation().value();
  REQUIRE(rig.cycle());
  CHECK(rig.service.requests.empty());
  for (int day = 1; day <= 2; ++day) {
    rig.clock.advance(hours(24));
    for (int n = 0; n < 3; ++n) REQUIRE(rig.cycle());
    const auto probes = rig.probes();
    CHECK(probes.size() == 5);
    for (const auto& [name, count] : probes) CHECK(count == day);
  }
  CHECK(rig.service.requests.size() == 10);
  CHECK(rig.catalogue.generation().value() == generation);
}

TEST_CASE("a store that refuses to be asked twice is asked for no more in that cycle, and fails no cycle") {
  Rig rig;
  rig.service.store_script = [](const StoreRequest&, StoreAnswer& answer) { answer = ScriptedService::refusal(503); };
  CHECK(rig.next_day() == core::Outcome::complete);
  CHECK(rig.service.requests.size() == 2);
  rig.service.store_script = {};
  CHECK(rig.cycle().value().outcome == core::Outcome::complete);
  CHECK(rig.service.requests.size() == 5);
  for (const auto& [name, count] : rig.probes()) CHECK(count == 1);
}

TEST_CASE("a file that the store cannot send for days hides no republication of another") {
  Rig rig;
  const std::string first = rig.service.files.begin()->first;
  REQUIRE(first != replaced);
  rig.service.store_script = [&](const StoreRequest& request, StoreAnswer& answer) {
    if (request.name == first) answer = ScriptedService::refusal(503);
  };
  rig.service.files.at(replaced).version = 2;
  CHECK(rig.next_day() == core::Outcome::complete);
  CHECK(rig.holds_everything());
}

TEST_CASE("whichever two files the store cannot send, a republication of another is found on the second day") {
  for (int one = 0; one < 5; ++one) {
    for (int other = one + 1; other < 5; ++other) {
      Rig rig;
      std::set<std::string> failing;
      int number = 0;
      for (const auto& [name, file] : rig.service.files)
        if (const int n = number++; n == one || n == other) failing.insert(name);
      for (auto& [name, file] : rig.service.files)
        if (!failing.contains(name)) file.version = 2;
      rig.service.store_script = [&](const StoreRequest& request, StoreAnswer& answer) {
        if (failing.contains(request.name)) answer = ScriptedService::refusal(503);
      };
      for (int day = 0; day < 2; ++day) CHECK(rig.next_day() == core::Outcome::complete);
      CHECK(rig.holds_everything());
    }
  }
}

TEST_CASE("an answer without an ETag, or one with a page, replaces nothing") {
  Rig rig;
  rig.service.store_script = [](const StoreRequest& request, StoreAnswer& answer) {
    answer.head.etag.clear();
    if (request.number % 2 == 0) return;
    answer.head.status = 200;
    answer.head.range.reset();
    answer.head.content_type = "text/html";
  };
  CHECK(rig.next_day() == core::Outcome::complete);
  CHECK(rig.holds_everything());
  CHECK(rig.probes().size() == 5);
  CHECK(rig.service.requests.size() == 5);
}

TEST_CASE("a store that ignores the range is compared all the same, and another total is another file") {
  Rig rig;
  rig.service.store_script = [](const StoreRequest& request, StoreAnswer& answer) {
    if (request.range != core::Range{0, 1}) return;
    answer.head.status = 200;
    answer.head.range.reset();
    if (request.name == replaced) answer.head.total = 20'001;
  };
  CHECK(rig.next_day() == core::Outcome::complete);
  CHECK(rig.probes().size() == 5);
  for (const auto& [name, file] : rig.service.files) {
    const auto asked = std::ranges::count(rig.service.requests, name, &StoreRequest::name);
    CHECK((asked > 1) == (name == replaced));
  }
}

TEST_CASE("a file that was adopted without an ETag gets the store's, and its next republication is found") {
  AgentRig rig;
  list_wednesday(rig);
  rig.storage.published[delta_name(17)] = numbered_bytes(1, 0, 20'000);
  REQUIRE(rig.cycle());
  REQUIRE(rig.journal.count(ports::EventKind::adopted) == 1);
  rig.clock.advance(hours(24));
  REQUIRE(rig.cycle());
  rig.service.files.at(delta_name(17)).version = 2;
  rig.clock.advance(hours(24));
  REQUIRE(rig.cycle());
  CHECK(rig.holds_everything());
}

TEST_CASE("a process that dies at any call while a republished file is fetched leaves nothing wrong public") {
  const auto republished = [](Rig& rig) {
    rig.service.files.at(replaced).version = 2;
    rig.clock.advance(hours(24));
  };
  Rig counting;
  const int before = counting.storage.calls();
  republished(counting);
  REQUIRE(counting.cycle());
  const int calls = counting.storage.calls() - before;
  for (int call = 1; call <= calls; ++call) {
    CAPTURE(call);
    Rig rig;
    republished(rig);
    rig.storage.die_at(call);
    static_cast<void>(rig.cycle());
    rig.storage.power_cut();
    CHECK(rig.nothing_wrong_is_public());
    REQUIRE(rig.cycle());
    CHECK(rig.holds_everything());
  }
}
