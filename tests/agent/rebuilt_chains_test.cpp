// What a mirror says of its chains after the catalogue was lost: never more than the files and texts on disk show, and
// no less than the lost catalogue said of what they do show.
#include "agent/rebuild.hpp"
#include "support/agent_rig.hpp"
#include "vtmirror/catalogue/chain_now.hpp"
#include "vtmirror/core/days.hpp"
#include "vtmirror/report/chain.hpp"

#include <doctest/doctest.h>

#include <set>

using namespace vtmirror;
using namespace vtmirror::test;

namespace {

struct Mirror : AgentRig {
  /// From now on, the service lists that week and nothing else.
  void week(int bulk, int last_delta) {
    service.files.clear();
    list(name_of("bulk", bulk), core::Kind::bulk, iso(bulk), 9000 + bulk, 3);
    for (int day = bulk; day <= last_delta; ++day) list(delta_name(day), core::Kind::delta, iso(day), 900, 4);
  }
  void has_week(int bulk, int last_delta) {
    week(bulk, last_delta);
    REQUIRE(cycle());
  }
  void lose_catalogue() { catalogue = catalogue::Catalogue::open(":memory:", catalogue::Access::read_write).value(); }
  void fail(const std::set<std::string>& names) {
    service.store_script = [names](const StoreRequest& request, StoreAnswer& answer) {
      if (names.contains(request.name)) answer = ScriptedService::refusal(500);
    };
  }
  /// A newer edition is listed, and does not come.
  void replace(int day) {
    service.files.at(delta_name(day)).size += 5;
    service.files.at(delta_name(day)).version = 6;
  }
  const core::Chain& chain() const { return storage.manifest->chain; }
  const core::Continues& join() const {
    REQUIRE(chain().continues);
    return *chain().continues;
  }
  const std::string& session() const { return storage.manifest->edition.session; }
};

}  // namespace

TEST_CASE("the next chain joins on if the rebuilt one was listed once more, and no refused entry is forgotten") {
  for (const bool refused : {false, true}) {
    CAPTURE(refused);
    Mirror mirror;
    mirror.has_week(15, 18);
    if (refused) mirror.service.files.at(delta_name(17)).form = EntryForm::no_size;
    REQUIRE(mirror.cycle());
    mirror.lose_catalogue();
    // With the last listing of that week, or after the roll-over.
    if (!refused) REQUIRE(mirror.cycle());
    mirror.has_week(19, 20);
    CHECK(mirror.chain().files.front().name == name_of("bulk", 19));
    CHECK(mirror.join().contiguous == !refused);
  }
}

TEST_CASE("of a chain that did not join on, no more is certain than up to where it ended") {
  for (const bool lost : {false, true}) {
    CAPTURE(lost);
    Mirror mirror;
    mirror.week(8, 14);
    mirror.fail({delta_name(11)});
    REQUIRE(mirror.cycle());
    mirror.replace(13);
    mirror.fail({delta_name(11), delta_name(13)});
    REQUIRE(mirror.cycle());
    mirror.fail({});
    mirror.has_week(15, 18);
    const auto before = mirror.join();
    const auto session = mirror.session();
    CHECK_FALSE(before.contiguous);
    CHECK(before.after == delta_name(10));
    if (lost) {
      mirror.lose_catalogue();
      REQUIRE(mirror.cycle());
      CHECK(mirror.join() == before);
      CHECK(mirror.session() == session);
    }
    // The delta whose absence broke the chain comes late. The one that was replaced and did not come breaks it still.
    mirror.list(delta_name(11), core::Kind::delta, iso(11), 900, 4);
    REQUIRE(mirror.cycle());
    CHECK_FALSE(mirror.join().contiguous);
  }
}

TEST_CASE("if the bulk file of the chain before is lost with the catalogue, nothing is known of an older one") {
  Mirror mirror;
  mirror.has_week(8, 14);
  mirror.replace(13);
  mirror.fail({delta_name(13)});
  REQUIRE(mirror.cycle());
  mirror.fail({});
  mirror.has_week(15, 18);
  CHECK_FALSE(mirror.join().contiguous);
  mirror.has_week(19, 20);
  CHECK(mirror.join().contiguous);
  mirror.storage.published.erase(name_of("bulk", 15));
  mirror.lose_catalogue();
  REQUIRE(mirror.cycle());
  const auto calendar = mirror.catalogue.calendar_since(base::parse_date(iso(8)).value()).value();
  int looked_at = 0;
  for (const auto& file : calendar.files) {
    if (file.name != name_of("bulk", 8) && file.name != delta_name(13)) continue;
    CAPTURE(file.name);
    CHECK(file.standing == core::Standing::gap);
    ++looked_at;
  }
  CHECK(looked_at == 2);
}

TEST_CASE("an edition that only the store had shown the lost catalogue is fetched all the same") {
  Mirror mirror;
  mirror.has_week(15, 18);
  mirror.clock.advance(std::chrono::hours(24));
  mirror.service.files.at(delta_name(17)).version = 6;
  mirror.service.store_script = [](const StoreRequest& request, StoreAnswer& answer) {
    if (request.name == delta_name(17) && request.range.size() > 1) answer = ScriptedService::refusal(500);
  };
  REQUIRE(mirror.cycle());
  REQUIRE(mirror.chain().missing.size() == 1);
  mirror.lose_catalogue();
  REQUIRE(mirror.cycle());
  CHECK_FALSE(mirror.chain().complete);
  CHECK(mirror.chain().missing.size() == 1);
  mirror.service.store_script = {};
  mirror.clock.advance(std::chrono::hours(24));
  REQUIRE(mirror.cycle());
  CHECK(mirror.chain().complete);
  CHECK(mirror.holds_everything());
}

TEST_CASE("a day whose delta is on the shelf is not absent, although the manifest was written before it came") {
  Mirror mirror;
  mirror.week(15, 18);
  mirror.service.files.erase(delta_name(16));
  REQUIRE(mirror.cycle());
  REQUIRE(mirror.chain().absent_upstream.size() == 1);
  mirror.storage.published[delta_name(16)] = numbered_bytes(4, 0, 900);
  mirror.lose_catalogue();
  mirror.service.listing_script = [](int) { return ports::Response{.status = 500, .body = "no"}; };
  static_cast<void>(mirror.cycle());
  const auto now = catalogue::chain_now(mirror.catalogue).value();
  CHECK(now.chain.files.size() == 5);
  CHECK(now.chain.absent_upstream.empty());
}

TEST_CASE("a second loss in the same week changes neither the session nor how the chains join") {
  Mirror mirror;
  mirror.has_week(8, 14);
  mirror.lose_catalogue();
  mirror.has_week(15, 18);
  const auto before = mirror.join();
  const auto session = mirror.session();
  CHECK_FALSE(before.contiguous);
  mirror.lose_catalogue();
  REQUIRE(mirror.cycle());
  CHECK(mirror.join() == before);
  CHECK(mirror.session() == session);
}

TEST_CASE("of a file that is on disk and not known to be the newest edition, no newer one is said to be listed") {
  Mirror mirror;
  mirror.has_week(15, 18);
  mirror.lose_catalogue();
  mirror.has_week(19, 20);
  mirror.storage.published.erase(name_of("bulk", 19));
  mirror.fail({name_of("bulk", 19)});
  REQUIRE(mirror.cycle());
  const auto utc = [](base::Time) { return std::chrono::minutes(0); };
  const auto text = report::coverage_text(report::coverage_of(mirror.catalogue).value(), 200, utc, std::nullopt);
  CAPTURE(text);
  CHECK(text.find("nobody knows whether") != std::string::npos);
  CHECK(text.find("a newer edition") == std::string::npos);
}

TEST_CASE("days that were pruned after the rebuild are shown as removed") {
  Mirror mirror;
  mirror.has_week(1, 7);
  mirror.has_week(8, 14);
  mirror.has_week(15, 18);
  mirror.lose_catalogue();
  REQUIRE(mirror.cycle());
  mirror.settings.policy.keep_cycles = 2;
  REQUIRE(mirror.cycle());
  const auto now = catalogue::chain_now(mirror.catalogue).value();
  const auto calendar = mirror.catalogue.calendar_since(base::parse_date(iso(1)).value()).value();
  core::DayFacts facts;
  facts.today = base::parse_date(iso(18)).value();
  int removed = 0;
  for (const auto& day : core::days_of(calendar, now.chain, now.files, facts, 30))
    removed += day.state == core::DayState::removed ? 1 : 0;
  CHECK(removed == 7);
}
