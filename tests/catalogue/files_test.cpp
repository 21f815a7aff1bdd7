#include "catalogue/made.hpp"
#include "catalogue/shown.hpp"

#include <doctest/doctest.h>

namespace vtmirror::test {
namespace {

using core::ChangeKind;

std::string changes_of(const catalogue::Catalogue& catalogue, std::int64_t since = 0) {
  return shown(Memory{.changes = catalogue.changes_since(since).value()});
}

TEST_CASE("a new catalogue remembers nothing, at generation 0") { CHECK(shown(opened(":memory:")) == shown(Memory{})); }

TEST_CASE("a published file is public, and its partial and its quarantine record are gone") {
  auto catalogue = opened(":memory:");
  REQUIRE(catalogue.keep_quarantined(quarantined(1)));
  REQUIRE(catalogue.keep_partial(partial(1)));
  CHECK(catalogue.publish(file(1)).value() == 1);
  const Memory expected{
      .files = {file(1)}, .changes = {{1, ChangeKind::published, delta_name(1), at(1)}}, .generation = 1};
  CHECK(shown(catalogue) == shown(expected));
}

TEST_CASE("publishing one file leaves the partials and the quarantine of others alone") {
  auto catalogue = opened(":memory:");
  REQUIRE(catalogue.keep_quarantined(quarantined(2)));
  REQUIRE(catalogue.keep_partial(partial(3)));
  REQUIRE(catalogue.publish(file(1)));
  CHECK(catalogue.quarantined().value().size() == 1);
  CHECK(catalogue.partials().value().size() == 1);
}

TEST_CASE("a file that replaces another supersedes it in the same generation") {
  auto catalogue = opened(":memory:");
  REQUIRE(catalogue.publish(file(1)));
  auto newer = file(1);
  newer.sha256 = "another digest";
  newer.published_at = at(60);
  CHECK(catalogue.publish(newer).value() == 2);
  const Memory expected{.files = {newer},
                        .changes = {{1, ChangeKind::published, delta_name(1), at(1)},
                                    {2, ChangeKind::superseded, delta_name(1), at(60)},
                                    {2, ChangeKind::published, delta_name(1), at(60)}},
                        .generation = 2};
  CHECK(shown(catalogue) == shown(expected));
}

TEST_CASE("a removed file counts as removed until it is published again") {
  auto catalogue = opened(":memory:");
  CHECK_FALSE(catalogue.is_let_go(delta_name(1)).value());
  REQUIRE(catalogue.publish(file(1)));
  REQUIRE(catalogue.publish(file(2)));
  CHECK_FALSE(catalogue.is_let_go(delta_name(1)).value());
  REQUIRE(catalogue.remove(delta_name(1), at(9)));
  CHECK(catalogue.is_let_go(delta_name(1)).value());
  CHECK_FALSE(catalogue.is_let_go(delta_name(2)).value());
  REQUIRE(catalogue.publish(file(1)));
  CHECK_FALSE(catalogue.is_let_go(delta_name(1)).value());
}

TEST_CASE("a removed file is not public any more, and may come again") {
  auto catalogue = opened(":memory:");
  REQUIRE(catalogue.publish(file(1)));
  CHECK(catalogue.remove(delta_name(1), at(9)).value() == 2);
  CHECK(catalogue.files().value().empty());
  CHECK(catalogue.publish(file(1)).value() == 3);
  const Memory expected{.changes = {{1, ChangeKind::published, delta_name(1), at(1)},
                                    {2, ChangeKind::removed, delta_name(1), at(9)},
                                    {3, ChangeKind::published, delta_name(1), at(1)}}};
  CHECK(changes_of(catalogue) == shown(expected));
}

TEST_CASE("to remove what is not public changes nothing, the generation neither") {
  auto catalogue = opened(":memory:");
  REQUIRE(catalogue.publish(file(1)));
  const auto before = shown(catalogue);
  CHECK(catalogue.remove(delta_name(2), at(9)).value() == 1);
  CHECK(shown(catalogue) == before);
}

TEST_CASE("files come by kind and date, whatever the order in which they came and whatever their names") {
  auto catalogue = opened(":memory:");
  auto bulk = file(9);
  bulk.kind = core::Kind::bulk;
  auto early = file(1);
  early.name = "v1/z.zip";
  for (const auto& published : {file(3), bulk, file(2), early}) REQUIRE(catalogue.publish(published));
  Memory expected{.files = {bulk, early, file(2), file(3)}};
  CHECK(shown(Memory{.files = catalogue.files().value()}) == shown(expected));
}

TEST_CASE("only changes after the requested generation are returned") {
  auto catalogue = opened(":memory:");
  for (const int number : {1, 2, 3}) REQUIRE(catalogue.publish(file(number)));
  CHECK(catalogue.changes_since(0).value().size() == 3);
  REQUIRE(catalogue.changes_since(2).value().size() == 1);
  CHECK(catalogue.changes_since(2).value().front().name == delta_name(3));
  CHECK(catalogue.changes_since(3).value().empty());
  CHECK(catalogue.changes_since(99).value().empty());
}

TEST_CASE("a quarantined file takes its partial's place, and a later refusal of it the earlier one's") {
  auto catalogue = opened(":memory:");
  REQUIRE(catalogue.keep_partial(partial(1)));
  REQUIRE(catalogue.keep_quarantined(quarantined(1)));
  auto again = quarantined(1);
  again.cause.detail = "too short";
  again.at = at(70);
  REQUIRE(catalogue.keep_quarantined(again));
  CHECK(shown(catalogue) == shown(Memory{.quarantined = {again}}));
}

TEST_CASE("a day that does not exist is refused") {
  auto catalogue = opened(":memory:");
  auto wrong = file(1);
  wrong.date = std::chrono::year{2026} / 2 / 30;
  REQUIRE_FALSE(catalogue.publish(wrong));
  CHECK(catalogue.publish(wrong).error().code == base::Errc::catalogue);
  CHECK(shown(catalogue) == shown(Memory{}));
}

TEST_CASE("text is stored as given, whatever bytes it has") {
  auto catalogue = opened(":memory:");
  auto odd = file(1);
  odd.name = "v1/it's \"ü\" \xff; DROP TABLE version; --";
  odd.etag = std::string("\0\n\t", 3);
  REQUIRE(catalogue.publish(odd));
  CHECK(shown(Memory{.files = catalogue.files().value()}) == shown(Memory{.files = {odd}}));
}

}  // namespace
}  // namespace vtmirror::test
