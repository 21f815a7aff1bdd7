#include "catalogue/made.hpp"
#include "catalogue/shown.hpp"
#include "support/every.hpp"

#include <doctest/doctest.h>

#include <set>

namespace vtmirror::test {
namespace {

TEST_CASE("a finished cycle is read back as it was recorded, with the time of its start") {
  auto catalogue = opened(":memory:");
  const auto id = catalogue.begin_cycle(at(0)).value();
  auto cycle = finished(id, 3);
  cycle.started = at(999);
  REQUIRE(catalogue.finish_cycle(cycle));
  cycle.started = at(0);
  CHECK(shown(Memory{.cycles = catalogue.history(10).value()}) == shown(Memory{.cycles = {cycle}}));
}

TEST_CASE("each outcome comes back as itself") {
  auto catalogue = opened(":memory:");
  for (const auto& outcome : test::every<core::Outcome>()) {
    auto cycle = finished(catalogue.begin_cycle(at(0)).value(), 0);
    cycle.outcome = outcome.value;
    REQUIRE(catalogue.finish_cycle(cycle));
    CHECK(catalogue.history(1).value().front().outcome == outcome.value);
  }
}

TEST_CASE("a cycle that failed says why in parts, and one that was complete says nothing") {
  auto catalogue = opened(":memory:");
  auto cycle = finished(catalogue.begin_cycle(at(0)).value(), 0);
  cycle.failure = core::Failure{core::FailureKind::no_space,
                                {.code = base::Errc::no_space,
                                 .subject = "a.zip",
                                 .detail = "full",
                                 .status = 507,
                                 .fields = {{"needed", std::int64_t{5}}}}};
  REQUIRE(catalogue.finish_cycle(cycle));
  CHECK(catalogue.history(1).value().front().failure == cycle.failure);
  cycle.failure = core::stopped();
  REQUIRE(catalogue.finish_cycle(cycle));
  CHECK(core::is_stop(catalogue.history(1).value().front().failure.value()));
  cycle.failure.reset();
  REQUIRE(catalogue.finish_cycle(cycle));
  CHECK_FALSE(catalogue.history(1).value().front().failure);
}

TEST_CASE("a cycle that was cut has no end and counts as failed") {
  auto catalogue = opened(":memory:");
  REQUIRE(catalogue.begin_cycle(at(0)));
  const auto cycle = catalogue.history(1).value().front();
  CHECK_FALSE(cycle.finished);
  CHECK(cycle.outcome == core::Outcome::failed);
}

TEST_CASE("the tries of a day are counted from their first, with the time that they ran") {
  auto catalogue = opened(":memory:");
  CHECK(catalogue.tries(at(0), at(100)).value().first == base::Time{});
  for (const int begun : {5, 20, 40}) {
    auto cycle = finished(catalogue.begin_cycle(at(begun)).value(), begun);
    cycle.finished = at(begun + 7);
    REQUIRE(catalogue.finish_cycle(cycle));
  }
  REQUIRE(catalogue.begin_cycle(at(50)));  // cut off
  const auto tries = catalogue.tries(at(20), at(60)).value();
  CHECK(tries.first == at(20));
  CHECK(tries.spent == std::chrono::minutes(14));
  CHECK(catalogue.tries(at(5), at(19)).value().spent == std::chrono::minutes(7));
}

TEST_CASE("the history is returned newest first and is limited to the requested length") {
  auto catalogue = opened(":memory:");
  std::vector<std::int64_t> ids;
  for (int i = 0; i < 5; ++i) ids.push_back(catalogue.begin_cycle(at(10 - i)).value());
  CHECK(std::set(ids.begin(), ids.end()).size() == 5);
  const auto newest = catalogue.history(2).value();
  REQUIRE(newest.size() == 2);
  CHECK(newest[0].id == ids[4]);
  CHECK(newest[1].id == ids[3]);
  CHECK(catalogue.history(99).value().size() == 5);
  CHECK(catalogue.history(0).value().empty());
  CHECK(catalogue.history(-1).value().empty());
}

TEST_CASE("a cycle that was never begun cannot be finished") {
  auto catalogue = opened(":memory:");
  const auto done = catalogue.finish_cycle(finished(77, 1));
  REQUIRE_FALSE(done);
  CHECK(done.error().code == base::Errc::catalogue);
  CHECK(shown(catalogue) == shown(Memory{}));
}

TEST_CASE("a cycle is not finished without its time") {
  auto catalogue = opened(":memory:");
  auto cycle = finished(catalogue.begin_cycle(at(0)).value(), 1);
  cycle.finished.reset();
  CHECK_FALSE(catalogue.finish_cycle(cycle));
  CHECK_FALSE(catalogue.history(1).value().front().finished);
}

TEST_CASE("the last listing replaces the one before, which stays in the calendar") {
  auto catalogue = opened(":memory:");
  CHECK_FALSE(catalogue.last_listing().value());
  REQUIRE(catalogue.keep_listing(listing({listed(1), listed(2), listed(3)}), at(1)));
  REQUIRE(catalogue.keep_listing(listing({listed(7), listed(4)}), at(2)));
  const auto last = catalogue.last_listing().value();
  REQUIRE(last);
  CHECK(last->at == at(2));
  CHECK(core::listed_files(last->calendar) == std::vector{listed(4), listed(7)});
  REQUIRE(last->calendar.files.size() == 5);
  for (std::size_t n = 0; n < 3; ++n) {
    CHECK(last->calendar.files[n].name == delta_name(static_cast<int>(n) + 1));
    CHECK_FALSE(last->calendar.files[n].listed);
    CHECK(last->calendar.files[n].standing == core::Standing::gap);
  }
}

TEST_CASE("days without a delta are remembered for good, whatever is removed") {
  auto catalogue = opened(":memory:");
  REQUIRE(catalogue.publish(file(1)));
  REQUIRE(catalogue.publish(file(10)));
  REQUIRE(catalogue.keep_listing(listing({listed(1), listed(3)}), at(1)));
  REQUIRE(catalogue.keep_listing(listing({listed(8), listed(10)}), at(2)));
  CHECK(catalogue.calendar().value().absent == std::vector{day(2), day(9)});
  REQUIRE(catalogue.remove({delta_name(1)}, at(3)));
  REQUIRE(catalogue.keep_listing(listing({listed(8), listed(10)}), at(4)));
  CHECK(catalogue.last_listing().value()->calendar.absent == std::vector{day(2), day(9)});
}

TEST_CASE("a refused entry is remembered with its reason, and one that names no day by its own words") {
  auto catalogue = opened(":memory:");
  auto made = listing({listed(1), listed(3)});
  const core::RefusedEntry undated{
      core::Kind::delta, "delta[4]", "filename: it is missing", std::nullopt, {core::EntryCheck::presence, "filename"}};
  const core::FailedCheck negative{core::EntryCheck::size, "fileSize"};
  made.refused = {{core::Kind::delta, delta_name(2), "fileSize: it is negative", day(2), negative}, undated};
  REQUIRE(catalogue.keep_listing(made, at(1)));
  auto calendar = catalogue.calendar().value();
  REQUIRE(calendar.files.size() == 3);
  CHECK(calendar.files[1].refused == "fileSize: it is negative");
  CHECK(calendar.files[1].failed == negative);
  CHECK(calendar.files[1].standing == core::Standing::refused);
  CHECK(calendar.absent.empty());
  CHECK(calendar.undated == std::vector{undated});
  REQUIRE(catalogue.keep_listing(listing({listed(1), listed(2), listed(3)}), at(2)));
  calendar = catalogue.calendar().value();
  CHECK(calendar.files[1].refused.empty());
  CHECK(calendar.files[1].failed == core::FailedCheck());
  CHECK(calendar.undated.empty());
}

TEST_CASE("a file that came after it had left the listing was held, also when it is lost later") {
  auto catalogue = opened(":memory:");
  REQUIRE(catalogue.keep_listing(listing({listed(1), listed(2)}), at(1)));
  REQUIRE(catalogue.keep_listing(listing({listed(3)}), at(2)));
  CHECK(catalogue.calendar().value().files[0].standing == core::Standing::gap);
  REQUIRE(catalogue.publish(file(1)));
  CHECK(catalogue.calendar().value().files[0].standing == core::Standing::held);
  CHECK(catalogue.keep_condition(delta_name(1), core::Condition::lost).value());
  const auto known = catalogue.calendar().value().files[0];
  CHECK(known.standing == core::Standing::held);
  CHECK(known.since == 1);
  CHECK(known.sha256 == file(1).sha256);
}

TEST_CASE("other bytes in the store are another edition until they are published") {
  auto catalogue = opened(":memory:");
  REQUIRE(catalogue.keep_listing(listing({listed(1)}), at(1)));
  REQUIRE(catalogue.publish(file(1)));
  REQUIRE(catalogue.keep_changed(delta_name(1)));
  CHECK(catalogue.calendar().value().files[0].standing == core::Standing::replaced);
  auto newer = file(1);
  newer.sha256 = "another digest";
  REQUIRE(catalogue.publish(newer));
  CHECK_FALSE(catalogue.calendar().value().files[0].changed);
  CHECK(catalogue.calendar().value().files[0].standing == core::Standing::held);
}

TEST_CASE("a listing of nothing is a listing") {
  auto catalogue = opened(":memory:");
  REQUIRE(catalogue.keep_listing({}, at(1)));
  const auto last = catalogue.last_listing().value();
  REQUIRE(last);
  CHECK(last->at == at(1));
  CHECK(last->calendar == core::Calendar{});
}

TEST_CASE("the last use of the key is remembered to the millisecond, before 1970 too") {
  auto catalogue = opened(":memory:");
  CHECK_FALSE(catalogue.last_key_use().value());
  for (const auto when : {at(1), at(0), base::Time{base::Milliseconds{-1}}}) {
    REQUIRE(catalogue.keep_key_use(when));
    CHECK(catalogue.last_key_use().value() == std::optional(when));
  }
}

}  // namespace
}  // namespace vtmirror::test
