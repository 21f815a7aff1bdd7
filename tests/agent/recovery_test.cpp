// What a start does about what the process before it left, when the start itself meets trouble.
#include "support/agent_rig.hpp"
#include "support/temporary_directory.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

using namespace vtmirror;
using namespace vtmirror::test;

namespace {

const std::string today = delta_name(18);
const std::string old_bulk = "v1/public/bulk/year=2026/month=11/day=08/bulk-light-vehicle_08-11-2026.zip";
const std::string old_delta = delta_name(9);

struct Mirror : AgentRig {
  explicit Mirror(
      catalogue::Catalogue known = catalogue::Catalogue::open(":memory:", catalogue::Access::read_write).value()) {
    catalogue = std::move(known);
    list_wednesday(*this);
    REQUIRE(cycle());
  }
  base::Result<void> start() {
    std::optional<base::Result<void>> recovered;
    in_process([&](agent::Agent& agent) { return recover(agent, recovered, unrepaired); });
    return *recovered;
  }
  static boost::asio::awaitable<void> recover(agent::Agent& agent, std::optional<base::Result<void>>& recovered,
                                              std::vector<core::Cause>& unrepaired) {
    recovered = co_await agent.recover();
    unrepaired = agent.unrepaired();
  }
  bool names_missing_file() const {
    const auto& files = storage.manifest->chain.files;
    return std::ranges::any_of(files, [&](const auto& file) { return !storage.published.contains(file.name); }) ||
           std::ranges::any_of(storage.sums, [&](const auto& file) { return !storage.published.contains(file.name); });
  }
  std::vector<core::Cause> unrepaired;  ///< by the last start
};

/// Two whole chains, of which one is kept.
struct TwoChains : Mirror {
  explicit TwoChains(
      catalogue::Catalogue known = catalogue::Catalogue::open(":memory:", catalogue::Access::read_write).value())
      : Mirror(std::move(known)) {
    const auto newest = service.files;
    service.files.clear();
    list(old_bulk, core::Kind::bulk, "2026-11-08", 60'000, 3);
    list(old_delta, core::Kind::delta, "2026-11-09", 20'000, 4);
    REQUIRE(cycle());
    service.files = newest;
    REQUIRE(cycle());
    REQUIRE(storage.published.size() == 7);
    settings.policy.keep_cycles = 1;
  }
  bool has_old_chain() const { return storage.published.contains(old_bulk) && storage.published.contains(old_delta); }
  std::vector<std::string> changes_of(const std::string& name) const {
    std::vector<std::string> kinds;
    for (const auto& change : catalogue.changes_since(0).value())
      if (change.name == name) kinds.emplace_back(core::name(change.kind));
    return kinds;
  }
};

/// The removals of the older chain's files were cut off before the files were removed from disk.
struct CutOff : TwoChains {
  CutOff() {
    for (const auto& name : {old_bulk, old_delta}) REQUIRE(catalogue.remove({name}, clock.now()));
  }
};

}  // namespace

TEST_CASE("a removal that was cut off is finished while the newer chain is whole") {
  CutOff mirror;
  REQUIRE(mirror.start());
  CHECK_FALSE(mirror.storage.published.contains(old_bulk));
  CHECK_FALSE(mirror.storage.published.contains(old_delta));
  CHECK(mirror.catalogue.leaving().value().empty());
}

TEST_CASE("a removal that was cut off is taken back if the newer chain has lost a file meanwhile") {
  for (const auto& lost : {bulk_name, today}) {
    CAPTURE(lost);
    CutOff mirror;
    mirror.storage.published.erase(lost);
    REQUIRE(mirror.start());
    CHECK(mirror.has_old_chain());
    CHECK(mirror.catalogue.leaving().value().empty());
    CHECK(mirror.catalogue.file(old_bulk).value().has_value());
    CHECK(mirror.changes_of(old_bulk) == std::vector<std::string>{"published", "removed", "published"});
    CHECK_FALSE(mirror.storage.contradicts_itself());
    REQUIRE_FALSE(mirror.storage.manifest->chain.files.empty());
    const bool loads_old = mirror.storage.manifest->chain.files.front().name == old_bulk;
    CHECK(loads_old == (lost == bulk_name));
    const auto generation = mirror.storage.manifest->edition.generation;
    CHECK(generation == mirror.catalogue.generation().value());
    // The file comes again, and the plan removes the old chain.
    REQUIRE(mirror.cycle());
    CHECK_FALSE(mirror.storage.published.contains(old_bulk));
    CHECK(mirror.holds_everything());
    CHECK_FALSE(mirror.storage.contradicts_itself());
  }
}

TEST_CASE("a removal that was cut off is taken back if the settings keep the file now") {
  CutOff mirror;
  mirror.settings.policy.keep_cycles = 2;
  REQUIRE(mirror.start());
  CHECK(mirror.has_old_chain());
  CHECK(mirror.unrepaired.empty());
}

TEST_CASE("at whatever call a start dies, a removal is finished or taken back, and nothing in between") {
  int died = 0;
  for (int call = 1; call < 14; ++call) {
    CAPTURE(call);
    CutOff mirror;
    mirror.storage.published.erase(bulk_name);
    mirror.storage.die_at(call);
    died += mirror.start() ? 0 : 1;
    CHECK(mirror.has_old_chain());
    mirror.storage.power_cut();
    REQUIRE(mirror.start());
    CHECK(mirror.has_old_chain());
    CHECK(mirror.changes_of(old_bulk) == std::vector<std::string>{"published", "removed", "published"});
    CHECK_FALSE(mirror.storage.contradicts_itself());
  }
  CHECK(died > 2);
}

TEST_CASE("a removal that failed in a cycle is not finished by the next one if the newer chain has lost a file") {
  for (const bool loses : {false, true}) {
    CAPTURE(loses);
    TwoChains mirror;
    mirror.storage.stuck = {old_bulk, old_delta};
    mirror.meanwhile = [&] {
      CHECK(mirror.has_old_chain());
      mirror.storage.stuck.clear();
      if (loses) mirror.storage.published.erase(bulk_name);
      // It does not come again.
      mirror.service.store_script = [](const StoreRequest&, StoreAnswer& answer) { answer.head.status = 404; };
    };
    REQUIRE(mirror.cycle());
    CHECK(mirror.has_old_chain() == loses);
    CHECK_FALSE(mirror.storage.contradicts_itself());
  }
}

/// A cycle in which the older chain cannot be removed, and one of the agent that a reload makes.
boost::asio::awaitable<void> across_a_reload(TwoChains& mirror, agent::Ports ports, std::shared_ptr<agent::Agent> agent,
                                             std::optional<base::Result<core::CycleReport>>& report) {
  const auto recovered = co_await agent->recover();
  REQUIRE(recovered);
  const auto first = co_await agent->cycle();
  CHECK(mirror.has_old_chain());
  mirror.storage.stuck.clear();
  agent::Agent reloaded(ports, AgentRig::service_settings(), mirror.settings, agent->unrepaired());
  report = co_await reloaded.cycle();
}

TEST_CASE("a removal that failed before a reload is finished by the next cycle") {
  TwoChains mirror;
  mirror.storage.stuck = {old_bulk, old_delta};
  std::optional<base::Result<core::CycleReport>> report;
  mirror.work_in_process([&](const agent::Ports& ports, const std::shared_ptr<agent::Agent>& agent) {
    return across_a_reload(mirror, ports, agent, report);
  });
  REQUIRE(report->has_value());
  CHECK_FALSE(mirror.storage.published.contains(old_bulk));
  CHECK_FALSE(mirror.storage.published.contains(old_delta));
  CHECK(mirror.catalogue.leaving().value().empty());
}

TEST_CASE("at whatever call a start dies, no manifest names a file whose removal it finishes") {
  int died = 0;
  for (int call = 1; call < 12; ++call) {
    CAPTURE(call);
    TwoChains mirror;
    REQUIRE(mirror.catalogue.remove({old_delta}, mirror.clock.now()));
    mirror.storage.die_at(call);
    died += mirror.start() ? 0 : 1;
    CHECK_FALSE(mirror.names_missing_file());
    mirror.storage.power_cut();
    CHECK(mirror.start());
    CHECK_FALSE(mirror.storage.published.contains(old_delta));
    CHECK_FALSE(mirror.names_missing_file());
  }
  CHECK(died > 2);
}

TEST_CASE("a start removes what lies in the quarantine without a record, and leaves the rest") {
  Mirror mirror;
  const core::QuarantinedFile known{.name = delta_name(2), .size = 5, .at = mirror.clock.now()};
  REQUIRE(mirror.catalogue.keep_quarantined(known));
  for (const int day : {1, 2}) mirror.storage.quarantined[delta_name(day)] = "member x: CRC error";
  REQUIRE(mirror.start());
  CHECK(mirror.storage.quarantined.size() == 1);
  CHECK(mirror.storage.quarantined.contains(delta_name(2)));
  CHECK(mirror.unrepaired.empty());
}

TEST_CASE("a file that was removed to the end, and that somebody put back since, is left alone by a start") {
  TwoChains mirror;
  REQUIRE(mirror.catalogue.remove({old_delta}, mirror.clock.now()));
  const auto bytes = mirror.storage.published.at(old_delta);
  REQUIRE(mirror.start());
  REQUIRE_FALSE(mirror.storage.published.contains(old_delta));
  mirror.storage.published[old_delta] = bytes;
  REQUIRE(mirror.start());
  CHECK(mirror.storage.published.contains(old_delta));
  CHECK(mirror.unrepaired.empty());
}

TEST_CASE("a file that was altered between its checks and its publication is not published, but downloaded again") {
  Mirror mirror;
  auto verified = core::PartialRecord{
      .name = today, .kind = core::Kind::delta, .date = base::parse_date("2026-11-18").value(), .size = 22'000};
  verified.durable.add({0, 22'000});
  verified.verified = true;
  verified.sha256 = "digest-of-version-2";
  REQUIRE(mirror.catalogue.keep_partial(verified));
  auto bytes = numbered_bytes(2, 0, 22'000);
  bytes[21'000] ^= 1;
  mirror.storage.unfinished[today] = {bytes, bytes};
  const auto before = mirror.storage.published.at(today);
  CHECK(mirror.start());
  CHECK(mirror.unrepaired.empty());
  CHECK(mirror.storage.published.at(today) == before);
  CHECK(mirror.catalogue.partials().value().empty());
  CHECK(mirror.storage.unfinished.empty());
  mirror.list(today, core::Kind::delta, "2026-11-18", 22'000, 2);
  CHECK(mirror.cycle());
  CHECK(mirror.storage.published.at(today) == numbered_bytes(2, 0, 22'000));
}

/// A new edition had passed its checks and the public one was withdrawn for it when the process was killed; then the
/// new edition's bytes were lost.
struct Withdrawn : Mirror {
  Withdrawn() {
    core::PartialRecord verified{
        .name = today, .kind = core::Kind::delta, .date = base::parse_date("2026-11-18").value(), .size = 22'000};
    verified.durable.add({0, 22'000});
    verified.verified = true;
    verified.sha256 = "digest-of-version-2";
    REQUIRE(catalogue.keep_partial(verified));
    REQUIRE(catalogue.keep_condition(today, core::Condition::lost));
  }
  void alter_partial() {
    auto bytes = numbered_bytes(2, 0, 22'000);
    bytes[21'000] ^= 1;
    storage.unfinished[today] = {bytes, bytes};
  }
  bool claims_today() const { return std::ranges::find(storage.sums, today, &core::Held::name) != storage.sums.end(); }
  core::Condition condition() { return catalogue.file(today).value()->condition; }
};

TEST_CASE("a public file stays public if the one that was to replace it is lost before it could") {
  Withdrawn mirror;
  SUBCASE("its partial file is missing") {}
  SUBCASE("its partial file was altered") { mirror.alter_partial(); }
  const auto bytes = mirror.storage.published.at(today);
  const auto generation = mirror.catalogue.generation().value();
  CHECK(mirror.start());
  CHECK(mirror.unrepaired.empty());
  CHECK(mirror.storage.published.at(today) == bytes);
  CHECK(mirror.condition() == core::Condition::whole);
  CHECK(mirror.claims_today());
  CHECK(mirror.storage.manifest->chain.complete);
  CHECK(mirror.catalogue.partials().value().empty());
  CHECK(mirror.catalogue.generation().value() <= generation + 1);
}

TEST_CASE("a public file that is not as it was published is not claimed when the one after it is lost") {
  Withdrawn mirror;
  mirror.storage.published[today][7] ^= 1;
  CHECK(mirror.start());
  CHECK(mirror.unrepaired.empty());
  CHECK(mirror.condition() == core::Condition::lost);
  CHECK_FALSE(mirror.claims_today());
  CHECK(mirror.catalogue.partials().value().empty());
}

TEST_CASE(
    "a public file that cannot be read now is judged by a later start, and so is the one that was to replace it") {
  Withdrawn mirror;
  mirror.alter_partial();
  mirror.storage.unreadable.insert(today);
  CHECK(mirror.start());
  CHECK(mirror.condition() == core::Condition::lost);
  CHECK_FALSE(mirror.unrepaired.empty());
  CHECK(mirror.catalogue.partials().value().size() == 1);
  mirror.storage.unreadable.clear();
  CHECK(mirror.start());
  CHECK(mirror.unrepaired.empty());
  CHECK(mirror.condition() == core::Condition::whole);
  CHECK(mirror.claims_today());
}

TEST_CASE("a published file that cannot be read now is not forgotten by a start") {
  Mirror mirror;
  core::PartialRecord verified{
      .name = today, .kind = core::Kind::delta, .date = base::parse_date("2026-11-18").value()};
  verified.size = 21'000;
  verified.durable.add({0, 21'000});
  verified.verified = true;
  verified.sha256 = "digest-of-version-2";
  REQUIRE(mirror.catalogue.keep_partial(verified));
  mirror.storage.unfinished.clear();
  mirror.storage.published[today] = numbered_bytes(2, 0, 21'000);
  mirror.storage.unreadable.insert(today);
  CHECK(mirror.start());
  REQUIRE(mirror.unrepaired.size() == 1);
  CHECK(mirror.unrepaired[0].subject == today);
  CHECK(mirror.unrepaired[0].code == base::Errc::io);
  CHECK(mirror.catalogue.partials().value().size() == 1);
  mirror.storage.unreadable.clear();
  CHECK(mirror.start());
  CHECK(mirror.unrepaired.empty());
  const auto files = mirror.catalogue.files().value();
  const auto file = std::ranges::find(files, today, &core::FileRecord::name);
  REQUIRE(file != files.end());
  CHECK(file->sha256 == "digest-of-version-2");
}

TEST_CASE("a new version is not removed in place of the old one, whose removal was not finished") {
  const TemporaryDirectory directory;
  const auto database = directory.path() / "catalogue.db";
  const auto killed = directory.path() / "killed";
  TwoChains mirror(catalogue::Catalogue::open(database, catalogue::Access::read_write).value());
  REQUIRE(mirror.catalogue.remove({old_delta}, mirror.clock.now()));
  mirror.list(old_delta, core::Kind::delta, "2026-11-09", 22'000, 2);
  // The start cannot finish the removal. The name is free again when the new version comes.
  mirror.storage.stuck.insert(old_delta);
  mirror.service.store_script = [&](const StoreRequest&, StoreAnswer&) { mirror.storage.stuck.clear(); };
  // What a kill leaves at the instant at which the new version has its name and the catalogue does not have it yet.
  mirror.storage.appeared = [&](const std::string& name) {
    REQUIRE(name == old_delta);
    std::filesystem::create_directory(killed);
    for (const auto* end : {"", "-wal"})
      std::filesystem::copy_file(database.string() + end, killed / ("catalogue.db" + std::string(end)));
  };
  REQUIRE(mirror.cycle());
  mirror.catalogue = catalogue::Catalogue::open(killed / "catalogue.db", catalogue::Access::read_write).value();
  REQUIRE(mirror.catalogue.partials().value().size() == 1);
  mirror.storage.unreadable.insert(old_delta);
  CHECK(mirror.start());
  REQUIRE(mirror.storage.published.contains(old_delta));
  CHECK(mirror.storage.published.at(old_delta) == numbered_bytes(2, 0, 22'000));
  mirror.storage.unreadable.clear();
  CHECK(mirror.start());
  CHECK(mirror.storage.published.contains(old_delta));
  CHECK_FALSE(mirror.storage.contradicts_itself());
}

TEST_CASE("a file that cannot be repaired stops no other repair and no cycle, and is repaired when it can be") {
  enum class Left { publication, removal, orphan, truncated };
  for (const auto left : {Left::publication, Left::removal, Left::orphan, Left::truncated}) {
    CAPTURE(static_cast<int>(left));
    TwoChains mirror;
    const auto bytes = numbered_bytes(2, 0, 21'000);
    const auto verified = [](const std::string& name, int day) {
      core::PartialRecord partial{.name = name, .kind = core::Kind::delta, .date = base::Date{}, .size = 21'000};
      partial.date = base::parse_date("2026-11-" + std::to_string(day)).value();
      partial.durable.add({0, 21'000});
      partial.verified = true;
      partial.sha256 = "digest-of-version-2";
      return partial;
    };
    const auto stuck = left == Left::orphan ? delta_name(20) : left == Left::removal ? old_delta : today;
    mirror.storage.stuck.insert(stuck);
    if (left == Left::publication) {
      REQUIRE(mirror.catalogue.keep_partial(verified(today, 18)));
      mirror.storage.unfinished[today] = {bytes, bytes};
    } else if (left == Left::removal) {
      REQUIRE(mirror.catalogue.remove({old_delta}, mirror.clock.now()));
    } else if (left == Left::orphan) {
      mirror.storage.unfinished[stuck] = {bytes, bytes};
    } else {
      auto cut = verified(today, 18);
      cut.verified = false;
      REQUIRE(mirror.catalogue.keep_partial(cut));
      mirror.storage.unfinished[today] = {"x", "x"};
    }
    // After the stuck one, by name.
    REQUIRE(mirror.catalogue.keep_partial(verified(delta_name(19), 19)));
    mirror.storage.unfinished[delta_name(19)] = {bytes, bytes};
    CHECK(mirror.start());
    REQUIRE(mirror.unrepaired.size() == 1);
    CHECK(mirror.unrepaired[0].subject == stuck);
    CHECK(mirror.storage.published.contains(delta_name(19)));
    CHECK_FALSE(mirror.names_missing_file());
    CHECK_FALSE(mirror.storage.contradicts_itself());
    mirror.storage.stuck.clear();
    CHECK(mirror.start());
    CHECK(mirror.unrepaired.empty());
    CHECK(mirror.storage.unfinished.empty());
    CHECK_FALSE(mirror.storage.contradicts_itself());
  }
}

TEST_CASE("a full disk and a stop are not about one file: the start ends, to be tried again") {
  TwoChains mirror;
  REQUIRE(mirror.catalogue.remove({old_delta}, mirror.clock.now()));
  mirror.storage.texts_left = 0;
  const auto full = mirror.start();
  REQUIRE_FALSE(full);
  CHECK(full.error().code == base::Errc::no_space);
}

TEST_CASE("texts that cannot be read now are not taken for missing ones") {
  Mirror mirror;
  const int texts = mirror.storage.texts;
  mirror.storage.texts_unreadable = true;
  const auto refused = mirror.start();
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == base::Errc::io);
  CHECK(mirror.storage.texts == texts);
  mirror.storage.texts_unreadable = false;
  CHECK(mirror.start());
}
