#include "catalogue/made.hpp"
#include "catalogue/shown.hpp"

#include <doctest/doctest.h>

namespace vtmirror::test {
namespace {

core::RangeSet set(std::vector<core::Range> ranges) { return core::RangeSet(ranges); }

core::RangeSet durable_of_only(const catalogue::Catalogue& catalogue) {
  const auto partials = catalogue.partials().value();
  REQUIRE(partials.size() == 1);
  return partials.front().durable;
}

TEST_CASE("an unfinished file comes back with its object, its durable ranges and its digest") {
  auto catalogue = opened(":memory:");
  Memory expected;
  for (const int number : {0, 1, 2}) {
    expected.partials.push_back(partial(number));
    REQUIRE(catalogue.keep_partial(partial(number)));
  }
  CHECK(shown(catalogue) == shown(expected));
}

TEST_CASE("a watermark replaces the one before: ranges grow, join and vanish") {
  auto catalogue = opened(":memory:");
  REQUIRE(catalogue.keep_partial(partial(0)));
  const std::vector<core::RangeSet> marks{set({{0, 10}}),
                                          set({{0, 20}, {500, 600}}),
                                          set({{0, 20}, {30, 40}, {500, 700}}),
                                          set({{0, 700}}),
                                          set({{0, 700}, {710, 1000}}),
                                          set({{0, 1000}}),
                                          set({{1, 2}, {999, 1000}}),
                                          set({}),
                                          set({{0, 1000}})};
  for (const auto& mark : marks) {
    REQUIRE(catalogue.keep_durable(delta_name(0), mark));
    CHECK(durable_of_only(catalogue) == mark);
  }
}

TEST_CASE("the watermark of one file leaves another's alone") {
  auto catalogue = opened(":memory:");
  REQUIRE(catalogue.keep_partial(partial(0)));
  REQUIRE(catalogue.keep_partial(partial(2)));
  REQUIRE(catalogue.keep_durable(delta_name(0), set({{5, 6}})));
  const auto partials = catalogue.partials().value();
  REQUIRE(partials.size() == 2);
  CHECK(partials[0].durable == set({{5, 6}}));
  CHECK(partials[1].durable == partial(2).durable);
}

TEST_CASE("a partial that is begun again forgets what was durable of the other object") {
  auto catalogue = opened(":memory:");
  REQUIRE(catalogue.keep_partial(partial(0)));
  auto again = partial(0);
  again.etag = "\"another\"";
  again.size = 7;
  again.durable = {};
  REQUIRE(catalogue.keep_partial(again));
  CHECK(shown(catalogue) == shown(Memory{.partials = {again}}));
}

TEST_CASE("ranges of terabytes are kept exactly") {
  auto catalogue = opened(":memory:");
  auto large = partial(0);
  large.size = core::largest_file;
  large.durable = set({{core::largest_file - 1, core::largest_file}});
  REQUIRE(catalogue.keep_partial(large));
  CHECK(durable_of_only(catalogue) == large.durable);
}

TEST_CASE("a watermark for a file that is not unfinished is refused") {
  auto catalogue = opened(":memory:");
  const auto kept = catalogue.keep_durable(delta_name(0), set({{0, 1}}));
  REQUIRE_FALSE(kept);
  CHECK(kept.error().code == base::Errc::catalogue);
  CHECK(kept.error().detail.find(delta_name(0)) != std::string::npos);
  CHECK(shown(catalogue) == shown(Memory{}));
}

TEST_CASE("bytes beyond a file's end never count as durable") {
  auto catalogue = opened(":memory:");
  REQUIRE(catalogue.keep_partial(partial(0)));
  const auto before = shown(catalogue);
  CHECK_FALSE(catalogue.keep_durable(delta_name(0), set({{0, 1001}})));
  auto beyond = partial(0);
  beyond.durable = set({{999, 1001}});
  CHECK_FALSE(catalogue.keep_partial(beyond));
  CHECK(shown(catalogue) == before);
  CHECK(catalogue.keep_durable(delta_name(0), set({{0, 1000}})));
}

TEST_CASE("a forgotten partial is gone with its ranges, and begins from nothing") {
  auto catalogue = opened(":memory:");
  REQUIRE(catalogue.keep_partial(partial(0)));
  REQUIRE(catalogue.forget_partial(delta_name(0)));
  CHECK(shown(catalogue) == shown(Memory{}));
  auto fresh = partial(0);
  fresh.durable = {};
  REQUIRE(catalogue.keep_partial(fresh));
  CHECK(durable_of_only(catalogue) == core::RangeSet());
}

TEST_CASE("what was found on the way to a store is remembered for that store, and the newest counts") {
  auto catalogue = opened(":memory:");
  CHECK_FALSE(catalogue.found_connections("store.example").value().has_value());
  REQUIRE(catalogue.keep_found_connections("store.example", {.number = 8, .rate = 100}, at(1)));
  REQUIRE(catalogue.keep_found_connections("other.example", {.number = 1, .rate = 5}, at(1)));
  REQUIRE(catalogue.keep_found_connections("store.example", {.number = 12, .rate = 150}, at(2)));
  CHECK(catalogue.found_connections("store.example").value() == core::FoundConnections{.number = 12, .rate = 150});
  CHECK(catalogue.found_connections("other.example").value() == core::FoundConnections{.number = 1, .rate = 5});
}

TEST_CASE("to forget a partial that is not there is no failure") {
  auto catalogue = opened(":memory:");
  CHECK(catalogue.forget_partial("v1/nowhere.zip"));
}

}  // namespace
}  // namespace vtmirror::test
