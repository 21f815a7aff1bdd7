#include "agent/rebuild.hpp"
#include "support/agent_rig.hpp"

#include <doctest/doctest.h>

using namespace vtmirror;
using namespace vtmirror::test;

namespace {

const std::string old_bulk = name_of("bulk", 8);
const std::string old_delta = delta_name(9);

/// A mirror with last week's chain, which is listed no longer, and this week's.
struct Mirror : AgentRig {
  /// The days from 10 November to that one have a delta in last week's chain.
  explicit Mirror(int last_delta = 14) {
    list(old_bulk, core::Kind::bulk, "2026-11-08", 9000, 3);
    list(old_delta, core::Kind::delta, "2026-11-09", 900, 4);
    for (int day = 10; day <= last_delta; ++day) list(delta_name(day), core::Kind::delta, iso(day), 900, 4);
    REQUIRE(cycle());
    service.files.clear();
    list_wednesday(*this, 20'000, 2'000);
    REQUIRE(cycle());
    generation = catalogue.generation().value();
    service.requests.clear();
  }
  void lose_catalogue() {
    catalogue = catalogue::Catalogue::open(":memory:", catalogue::Access::read_write).value();
    static_cast<void>(catalogue.set_channels({{"hook", {core::Topic::chain, core::Topic::published}}}));
  }
  bool holds(const std::string& name) const {
    const auto files = catalogue.files().value();
    return std::any_of(files.begin(), files.end(), [&](const auto& file) { return file.name == name; });
  }
  std::int64_t generation = 0;
};

}  // namespace

TEST_CASE("a lost catalogue is rebuilt from disk: nothing is downloaded, published or sent again") {
  Mirror mirror;
  const auto before = mirror.catalogue.files().value();
  const auto manifest = mirror.storage.manifest;
  mirror.lose_catalogue();
  const auto report = mirror.cycle();
  REQUIRE(report);
  CHECK(report->outcome == core::Outcome::complete);
  CHECK(report->files == 0);
  // The store is asked for the ETag of each listed file, with one byte.
  CHECK(mirror.service.requests.size() == 5);
  for (const auto& request : mirror.service.requests) CHECK(request.range == core::Range{0, 1});
  CHECK(mirror.catalogue.generation().value() == mirror.generation);
  CHECK(mirror.catalogue.deliveries().value().empty());
  CHECK(mirror.holds(old_bulk));
  CHECK(mirror.holds(old_delta));
  const auto after = mirror.catalogue.files().value();
  REQUIRE(after.size() == before.size());
  for (std::size_t n = 0; n < after.size(); ++n) {
    CHECK(after[n].name == before[n].name);
    CHECK(after[n].kind == before[n].kind);
    CHECK(after[n].date == before[n].date);
    CHECK(after[n].size == before[n].size);
    CHECK(after[n].sha256 == before[n].sha256);
  }
  REQUIRE(mirror.storage.manifest);
  CHECK(mirror.storage.manifest->chain == manifest->chain);
  CHECK(mirror.storage.manifest->edition.at == manifest->edition.at);
}

TEST_CASE("a file that is republished with the same size and date after the catalogue was rebuilt is found") {
  Mirror mirror;
  mirror.lose_catalogue();
  REQUIRE(mirror.cycle());
  mirror.service.files.at(delta_name(17)).version = 2;
  mirror.clock.advance(std::chrono::hours(24));
  REQUIRE(mirror.cycle());
  CHECK(mirror.holds_everything());
}

TEST_CASE("a rebuilt mirror continues its session and says what it said, also how the chains join and since when") {
  Mirror mirror;
  const auto manifest = mirror.storage.manifest;
  REQUIRE(manifest->chain.continues);
  CHECK(manifest->chain.continues->contiguous);
  CHECK(manifest->chain.continues->after == delta_name(14));
  CHECK(manifest->chain.continues->assumes_absent == std::vector{base::parse_date("2026-11-08").value()});
  mirror.lose_catalogue();
  REQUIRE(mirror.cycle());
  CHECK(mirror.storage.manifest->edition.session == manifest->edition.session);
  CHECK(mirror.storage.manifest->chain == manifest->chain);
}

TEST_CASE("a rebuilt mirror whose chains did not join begins another session where no file says why") {
  Mirror mirror(12);
  const auto manifest = mirror.storage.manifest;
  REQUIRE(manifest->chain.continues);
  CHECK_FALSE(manifest->chain.continues->contiguous);
  CHECK(manifest->chain.continues->reason == "gap");
  mirror.lose_catalogue();
  REQUIRE(mirror.cycle());
  CHECK(mirror.storage.manifest->edition.session != manifest->edition.session);
  CHECK(mirror.storage.manifest->edition.session.size() == 32);
  // A consumer that asks with a generation of the other session is answered `reset`, whichever it is.
  for (std::int64_t known = 1; known <= manifest->edition.generation; ++known) {
    const auto changes = mirror.catalogue.changes_since(known).value();
    REQUIRE(changes.size() == 1);
    CHECK(changes.front().kind == core::ChangeKind::reset);
  }
  CHECK_FALSE(mirror.storage.manifest->chain.continues->contiguous);
}

TEST_CASE(
    "after a rebuild no chain joins on over a file of which only the lost catalogue knew that another edition came") {
  Mirror mirror;
  const auto joins = [&] {
    REQUIRE(mirror.storage.manifest->chain.continues);
    return mirror.storage.manifest->chain.continues->contiguous;
  };
  // A third week, and in the second one an edition that never came.
  mirror.service.files.at(delta_name(17)).size += 1;
  mirror.service.store_script = [](const StoreRequest& request, StoreAnswer& answer) {
    if (request.name == delta_name(17)) answer = ScriptedService::refusal(500);
  };
  REQUIRE(mirror.cycle());
  mirror.service.store_script = {};
  mirror.service.files.clear();
  const std::string third = "v1/public/bulk/year=2026/month=11/day=22/bulk-light-vehicle_22-11-2026.zip";
  mirror.list(third, core::Kind::bulk, "2026-11-22", 9'100, 5);
  mirror.list(delta_name(22), core::Kind::delta, "2026-11-22", 900, 5);
  REQUIRE(mirror.cycle());
  CHECK_FALSE(joins());
  mirror.lose_catalogue();
  REQUIRE(mirror.cycle());
  CHECK_FALSE(joins());
}

TEST_CASE("a rebuilt mirror that held an older edition of a missing file begins another session") {
  Mirror mirror;
  mirror.service.files.at(delta_name(17)) = {core::Kind::delta, "2026-11-17", 2'500, 2};
  mirror.service.store_script = [](const StoreRequest& request, StoreAnswer& answer) {
    if (request.name == delta_name(17)) answer = ScriptedService::refusal(500);
  };
  REQUIRE(mirror.cycle());
  const auto manifest = mirror.storage.manifest;
  REQUIRE(manifest->chain.missing.size() == 1);
  REQUIRE(mirror.storage.published.contains(delta_name(17)));
  mirror.lose_catalogue();
  REQUIRE(mirror.cycle());
  CHECK(mirror.storage.manifest->edition.session != manifest->edition.session);
}

TEST_CASE("a rebuilt mirror that has something else to say begins another generation of its session") {
  Mirror mirror;
  const auto manifest = mirror.storage.manifest;
  REQUIRE(manifest->chain.complete);
  mirror.list(delta_name(19), core::Kind::delta, "2026-11-19", 2'000);
  mirror.service.store_script = [](const StoreRequest& request, StoreAnswer& answer) {
    if (request.name == delta_name(19)) answer = ScriptedService::refusal(500);
  };
  mirror.lose_catalogue();
  REQUIRE(mirror.cycle());
  CHECK(mirror.storage.manifest->edition.session == manifest->edition.session);
  CHECK_FALSE(mirror.storage.manifest->chain.complete);
  CHECK(mirror.storage.manifest->edition.generation == manifest->edition.generation + 1);
}

TEST_CASE("while the service is away a rebuilt mirror keeps the manifest that it had") {
  Mirror mirror;
  const auto manifest = mirror.storage.manifest;
  mirror.lose_catalogue();
  mirror.service.listing_script = [](int) { return ports::Response{.status = 500, .body = "no"}; };
  CHECK_FALSE(mirror.cycle());
  CHECK(mirror.storage.manifest->chain == manifest->chain);
  CHECK(mirror.storage.manifest->edition.generation == manifest->edition.generation);
}

TEST_CASE("a file that was damaged meanwhile is fetched again while it is listed, and left alone when it is not") {
  Mirror mirror;
  mirror.storage.published[delta_name(16)][5] ^= 1;
  mirror.storage.published[old_delta][5] ^= 1;
  const auto left = mirror.storage.published[old_delta];
  mirror.lose_catalogue();
  REQUIRE(mirror.cycle());
  CHECK(mirror.holds(delta_name(16)));
  CHECK(mirror.storage.published[delta_name(16)] == numbered_bytes(1, 0, 2'000));
  CHECK_FALSE(mirror.holds(old_delta));
  CHECK(mirror.storage.published[old_delta] == left);
  CHECK(mirror.catalogue.generation().value() > mirror.generation);
}

TEST_CASE("after a rebuild no link leads to another edition of a file that was left out of it") {
  for (const bool gone : {false, true}) {
    CAPTURE(gone);
    Mirror mirror;
    const auto made = numbered_bytes(1, 0, 2'000);
    const auto directories = mirror.storage.links.directories();
    mirror.storage.published[delta_name(16)][5] ^= 1;
    if (gone) mirror.storage.published.erase(delta_name(16));
    mirror.service.files.at(delta_name(16)).size += 7;
    mirror.lose_catalogue();
    REQUIRE(mirror.cycle());
    CHECK(mirror.storage.published[delta_name(16)].size() == 2'007);
    int looked_at = 0;
    for (const auto& [name, links] : directories)
      for (const auto& link : mirror.storage.links.directories().at(name)) {
        if (!link.name.ends_with(base::leaf_of(delta_name(16)))) continue;
        const auto* const bytes = mirror.storage.bytes_of(link);
        CHECK((bytes == nullptr || *bytes == made));
        ++looked_at;
      }
    CHECK(looked_at > 0);
  }
}

TEST_CASE("another whole file under a published name is not the one that was published") {
  Mirror mirror;
  mirror.storage.published[old_delta] = numbered_bytes(5, 0, 900);
  mirror.lose_catalogue();
  REQUIRE(mirror.cycle());
  CHECK_FALSE(mirror.holds(old_delta));
  CHECK(mirror.storage.published.contains(old_delta));
}

TEST_CASE("a file that is gone from disk makes another generation, so that nobody takes the old manifest for true") {
  Mirror mirror;
  mirror.storage.published.erase(old_delta);
  mirror.lose_catalogue();
  REQUIRE(mirror.cycle());
  // One without that file, of which only the next listing can say that it is complete, and one with this.
  CHECK(mirror.catalogue.generation().value() == mirror.generation + 2);
  CHECK(mirror.storage.manifest->edition.generation == mirror.generation + 2);
  CHECK(mirror.catalogue.changes_since(mirror.generation + 1).value().empty());
}

TEST_CASE("files in a directory that was never a mirror are not touched") {
  AgentRig rig;
  rig.storage.published[old_delta] = numbered_bytes(4, 0, 900);
  list_wednesday(rig, 20'000, 2'000);
  REQUIRE(rig.cycle());
  const auto files = rig.catalogue.files().value();
  CHECK(std::none_of(files.begin(), files.end(), [](const auto& file) { return file.name == old_delta; }));
}

TEST_CASE("a rebuild that is cut at any call ends the same at the next start") {
  int cuts = 0;
  for (int call = 1; call < 60; ++call) {
    Mirror mirror;
    mirror.lose_catalogue();
    mirror.storage.die_at(call);
    const auto cut = mirror.cycle();
    if (cut && cut->outcome == core::Outcome::complete) break;
    ++cuts;
    mirror.storage.power_cut();
    REQUIRE(mirror.cycle());
    CAPTURE(call);
    CHECK(mirror.catalogue.generation().value() == mirror.generation);
    CHECK(mirror.holds(old_delta));
    CHECK(mirror.holds_everything());
    CHECK(mirror.catalogue.files().value().size() == 12);
    for (const auto& request : mirror.service.requests) CHECK(request.range == core::Range{0, 1});
  }
  CHECK(cuts > 5);
}

TEST_CASE("a file's kind and date come from the manifest, then from its name, and its digest from SHA256SUMS") {
  ports::Remains remains;
  remains.chain.push_back({core::Kind::bulk, "odd.zip", base::parse_date("2026-11-15").value(), 9, "aa"});
  remains.sums = {{old_delta, "bb"}};
  const auto odd = agent::known_of({"odd.zip", 7}, remains);
  REQUIRE(odd);
  CHECK(odd->kind == core::Kind::bulk);
  CHECK(odd->size == 7);
  CHECK(odd->sha256 == "aa");
  const auto named = agent::known_of({old_delta, 7}, remains);
  REQUIRE(named);
  CHECK(named->kind == core::Kind::delta);
  CHECK(base::iso8601(named->date) == "2026-11-09");
  CHECK(named->sha256 == "bb");
  CHECK_FALSE(agent::known_of({"notes.txt", 7}, remains));
}
