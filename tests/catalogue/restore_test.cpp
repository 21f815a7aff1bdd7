#include "catalogue/made.hpp"

#include <doctest/doctest.h>

namespace vtmirror::test {
namespace {

TEST_CASE(
    "a restored catalogue continues from the mirror's generation, and sends no notices about files that were there") {
  auto catalogue = opened(":memory:");
  REQUIRE(catalogue.set_channels({{"hook", {core::Topic::published}}}));
  REQUIRE(catalogue.restore({"s", 42, at(7), {file(1), file(2)}, {day(3)}}));
  CHECK(catalogue.generation().value() == 42);
  CHECK(catalogue.files().value() == std::vector{restored(1, 42), restored(2, 42)});
  CHECK(catalogue.changes_since(0).value().size() == 2);
  REQUIRE(catalogue.changes_since(41).value().size() == 1);
  CHECK(catalogue.changes_since(41).value().front().kind == core::ChangeKind::reset);
  CHECK(catalogue.changes_since(42).value().empty());
  CHECK(catalogue.changes_since(0).value().front().at == at(7));
  CHECK(catalogue.deliveries().value().empty());
  CHECK(catalogue.publish(file(3)).value() == 43);
}

TEST_CASE("a restored mirror continues its session, or begins one where none is known") {
  auto catalogue = opened(":memory:");
  REQUIRE(catalogue.restore({"the session", 42, at(7), {restored(1, 40), file(2)}, {}}));
  const auto edition = catalogue.edition().value();
  CHECK(edition.session == "the session");
  CHECK(edition.generation == 42);
  CHECK(edition.at == at(7));
  CHECK(catalogue.files().value() == std::vector{restored(1, 40), restored(2, 42)});
  CHECK(catalogue.settle("what the manifest says", at(8)).value().generation == 42);
  CHECK(catalogue.settle("something else", at(9)).value().generation == 43);

  auto other = opened(":memory:");
  REQUIRE(other.restore({"", 42, at(7), {file(1)}, {}}));
  CHECK(other.edition().value().session.size() == 32);
}

TEST_CASE("a mirror of which nothing is left keeps its generation all the same") {
  auto catalogue = opened(":memory:");
  REQUIRE(catalogue.restore({"s", 42, at(7), {}, {}}));
  CHECK(catalogue.generation().value() == 42);
  CHECK(catalogue.publish(file(3)).value() == 43);
}

TEST_CASE("the days without a delta come back with the mirror, and the next listing has its say") {
  auto catalogue = opened(":memory:");
  REQUIRE(catalogue.restore({"s", 42, at(7), {}, {day(1), day(9)}}));
  REQUIRE(catalogue.keep_listing(listing({listed(0), listed(1), listed(2)}), at(8)));
  CHECK(catalogue.last_listing().value()->calendar.absent == std::vector{day(9)});
}

TEST_CASE("a catalogue that knows files is not restored") {
  auto catalogue = opened(":memory:");
  REQUIRE(catalogue.publish(file(1)));
  CHECK_FALSE(catalogue.restore({"s", 42, at(7), {file(2)}, {}}));
  CHECK(catalogue.generation().value() == 1);
  auto twice = opened(":memory:");
  REQUIRE(twice.restore({"s", 42, at(7), {}, {}}));
  CHECK_FALSE(twice.restore({"s", 43, at(7), {}, {}}));
}

}  // namespace
}  // namespace vtmirror::test
