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
  const Memory expected{.calendar = catalogue.calendar().value(),
                        .files = {file(1, 1)},
                        .changes = {change(1, ChangeKind::published, file(1), at(1))},
                        .generation = 1};
  CHECK(shown(catalogue) == shown(expected));
  // No listing had the file: the calendar knows it because it is held.
  CHECK(expected.calendar.files == std::vector<core::ListedFile>{{.kind = core::Kind::delta,
                                                                  .name = delta_name(1),
                                                                  .date = day(1),
                                                                  .size = 1001,
                                                                  .standing = core::Standing::held,
                                                                  .since = 1,
                                                                  .sha256 = "digest-1"}});
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
  auto replacing = change(2, ChangeKind::published, newer, at(60));
  replacing.before = edition_of(file(1));
  const Memory expected{.calendar = catalogue.calendar().value(),
                        .files = {published(newer, 2)},
                        .changes = {change(1, ChangeKind::published, file(1), at(1)),
                                    change(2, ChangeKind::superseded, file(1), at(60)), replacing},
                        .generation = 2};
  CHECK(shown(catalogue) == shown(expected));
}

TEST_CASE("bytes that come back as they were end their loss, and are no change: no generation, no notice") {
  auto catalogue = opened(":memory:");
  REQUIRE(catalogue.set_channels({{"hook", every_topic}}));
  REQUIRE(catalogue.publish(file(1)));
  REQUIRE(catalogue.publish(file(2)));
  for (const auto condition : {core::Condition::lost, core::Condition::damaged}) {
    CAPTURE(core::name(condition));
    auto expected = remembered(catalogue);
    expected.files[0].probed_at = expected.files[0].read_at = at(90);
    CHECK(catalogue.keep_condition(delta_name(1), condition).value());
    REQUIRE(catalogue.keep_partial(partial(1)));
    auto again = file(1);
    again.published_at = at(90);
    CHECK(catalogue.publish(again).value() == 2);
    CHECK(shown(catalogue) == shown(expected));
    auto kept = file(1, 1);
    kept.probed_at = kept.read_at = at(90);
    CHECK(catalogue.files().value()[0] == kept);
  }
}

TEST_CASE("bytes that come back without the store's ETag keep the one that they had") {
  auto catalogue = opened(":memory:");
  REQUIRE(catalogue.publish(file(1)));
  REQUIRE(catalogue.keep_condition(delta_name(1), core::Condition::lost));
  auto found = file(1);
  found.etag.clear();
  REQUIRE(catalogue.publish(found));
  CHECK(catalogue.file(delta_name(1)).value()->etag == file(1).etag);
  // The ETag is also known of the bytes of a file that was removed.
  REQUIRE(catalogue.remove({delta_name(1)}, at(3)));
  REQUIRE(catalogue.publish(found));
  CHECK(catalogue.file(delta_name(1)).value()->etag == file(1).etag);
  // It is not the ETag of other bytes.
  auto other = found;
  other.sha256 = "another digest";
  REQUIRE(catalogue.publish(other));
  CHECK(catalogue.file(delta_name(1)).value()->etag.empty());
  other.sha256.clear();
  REQUIRE(catalogue.publish(other));
  CHECK(catalogue.file(delta_name(1)).value()->etag.empty());
}

TEST_CASE("bytes that come back with another date, size or digest are another edition") {
  auto catalogue = opened(":memory:");
  REQUIRE(catalogue.publish(file(1)));
  std::int64_t generation = 1;
  const auto other = [&](auto spoil) {
    auto edition = catalogue.files().value()[0];
    spoil(edition);
    CHECK(catalogue.publish(edition).value() == ++generation);
    CHECK(catalogue.files().value()[0].since == generation);
  };
  other([](auto& edition) { edition.date = day(9); });
  other([](auto& edition) { ++edition.size; });
  other([](auto& edition) { edition.sha256 = "another digest"; });
  // Without a digest nothing shows that the bytes are the same, so they count as another edition.
  other([](auto& edition) { edition.sha256.clear(); });
  other([](auto&) {});
}

TEST_CASE("a file's condition is kept until it is another one, and only of what is public") {
  auto catalogue = opened(":memory:");
  REQUIRE(catalogue.publish(file(1)));
  CHECK_FALSE(catalogue.keep_condition(delta_name(1), core::Condition::whole).value());
  CHECK(catalogue.keep_condition(delta_name(1), core::Condition::lost).value());
  CHECK_FALSE(catalogue.keep_condition(delta_name(1), core::Condition::lost).value());
  CHECK(catalogue.files().value()[0].condition == core::Condition::lost);
  CHECK(catalogue.keep_condition(delta_name(1), core::Condition::damaged).value());
  CHECK(catalogue.files().value()[0].condition == core::Condition::damaged);
  CHECK_FALSE(catalogue.keep_condition(delta_name(2), core::Condition::lost).value());
  REQUIRE(catalogue.remove({delta_name(1)}, at(9)));
  CHECK_FALSE(catalogue.keep_condition(delta_name(1), core::Condition::whole).value());
  CHECK(catalogue.generation().value() == 2);
}

TEST_CASE("what does not fit is that of the newest plan, without what was published since") {
  auto catalogue = opened(":memory:");
  REQUIRE(catalogue.keep_unfit({unfit(3), unfit(1)}));
  CHECK(catalogue.unfit().value() == std::vector{unfit(1), unfit(3)});
  REQUIRE(catalogue.keep_unfit({unfit(2), unfit(3)}));
  CHECK(catalogue.unfit().value() == std::vector{unfit(2), unfit(3)});
  REQUIRE(catalogue.publish(file(2)));
  CHECK(catalogue.unfit().value() == std::vector{unfit(3)});
  REQUIRE(catalogue.keep_unfit({}));
  CHECK(catalogue.unfit().value().empty());
}

TEST_CASE("the session is made with the first question for it, and stays") {
  auto catalogue = opened(":memory:");
  const auto first = catalogue.edition().value();
  CHECK(first.session.size() == 32);
  CHECK(first.generation == 0);
  REQUIRE(catalogue.publish(file(1)));
  const auto second = catalogue.edition().value();
  CHECK(second.session == first.session);
  CHECK(second.generation == 1);
  CHECK(second.at == at(1));
  auto other = opened(":memory:");
  CHECK(other.edition().value().session != first.session);
}

TEST_CASE("a generation says one thing: before the first publication it stays 0, after it each other content is one") {
  auto catalogue = opened(":memory:");
  CHECK(catalogue.settle("nothing", at(1)).value().generation == 0);
  CHECK(catalogue.settle("nothing, and one file is missing", at(2)).value().generation == 0);
  REQUIRE(catalogue.publish(file(3)));
  auto edition = catalogue.settle("one file", at(4)).value();
  CHECK(edition.generation == 1);
  CHECK(edition.at == at(3));
  edition = catalogue.settle("one file", at(5)).value();
  CHECK(edition.generation == 1);
  edition = catalogue.settle("it is lost", at(6)).value();
  CHECK(edition.generation == 2);
  CHECK(edition.at == at(6));
  CHECK(catalogue.generation().value() == 2);
  CHECK(catalogue.changes_since(1).value().empty());
  CHECK(catalogue.publish(file(7)).value() == 3);
  // A publication has a generation of its own, even if its content is that of the one before.
  edition = catalogue.settle("it is lost", at(8)).value();
  CHECK(edition.generation == 3);
  CHECK(edition.at == at(7));
  CHECK(catalogue.settle("one file", at(9)).value().generation == 4);
}

TEST_CASE("what an older version stored with a sentence for a cause begins no generation, and another cause does") {
  core::Chain chain;
  chain.missing = {{core::Kind::delta, delta_name(1), day(1), core::MissingReason::quarantined, core::deadly_check(3)}};
  auto catalogue = opened(":memory:");
  REQUIRE(catalogue.publish(file(2)));
  const auto older = "not complete\nmissing " + delta_name(1) + " quarantined it ended the program\nabsent\nlost\n";
  REQUIRE(catalogue.settle(older, at(3)).value().generation == 1);
  for (int time = 4; time < 6; ++time)
    CHECK(catalogue.settle(core::content_of(chain, {}), at(time)).value().generation == 1);
  chain.missing.front().cause = core::deadly_check(4);
  CHECK(catalogue.settle(core::content_of(chain, {}), at(6)).value().generation == 2);
}

TEST_CASE("a removed file is leaving until it is gone from disk, or is published again") {
  auto catalogue = opened(":memory:");
  const auto leaving = [&] {
    std::vector<std::string> names;
    for (const auto& each : catalogue.leaving().value()) names.push_back(each.name);
    return names;
  };
  REQUIRE(catalogue.publish(file(1)));
  REQUIRE(catalogue.publish(file(2)));
  CHECK(leaving().empty());
  REQUIRE(catalogue.remove({delta_name(1)}, at(9)));
  REQUIRE(catalogue.remove({delta_name(2)}, at(9)));
  CHECK(leaving() == std::vector{delta_name(1), delta_name(2)});
  REQUIRE(catalogue.publish(file(1)));
  CHECK(leaving() == std::vector{delta_name(2)});
  REQUIRE(catalogue.keep_gone({delta_name(2)}));
  CHECK(leaving().empty());
  REQUIRE(catalogue.remove({"v1/never.zip"}, at(9)));
  CHECK(leaving().empty());
}

TEST_CASE("a removal that is taken back is a publication of the file as it was") {
  auto catalogue = opened(":memory:");
  REQUIRE(catalogue.publish(file(1)));
  auto newer = file(1);
  newer.sha256 = "another digest";
  newer.published_at = at(60);
  REQUIRE(catalogue.publish(newer));
  REQUIRE(catalogue.keep_probed(delta_name(1), at(70)));
  REQUIRE(catalogue.keep_partial(partial(1)));
  REQUIRE(catalogue.set_channels({{"hook", every_topic}}));
  const auto before = remembered(catalogue);
  CHECK(catalogue.take_back(delta_name(1), at(80)).value() == 2);  // it is not leaving
  CHECK(shown(catalogue) == shown(before));
  REQUIRE(catalogue.remove({delta_name(1)}, at(90)));
  CHECK(catalogue.leaving().value() == before.files);
  CHECK(catalogue.take_back(delta_name(1), at(95)).value() == 4);
  CHECK(catalogue.leaving().value().empty());
  auto expected = before;
  expected.generation = 4;
  expected.changes.push_back(change(3, ChangeKind::removed, newer, at(90)));
  expected.changes.push_back(change(4, ChangeKind::published, newer, at(95)));
  const auto deliveries = catalogue.deliveries().value();
  REQUIRE(deliveries.size() == 1);
  newer.published_at = at(95);
  auto notice = deliveries[0].notice;
  notice.id.clear();
  CHECK(notice == core::published_notice(newer, 4));
  expected.deliveries = deliveries;
  CHECK(shown(catalogue) == shown(expected));
  // The next edition replaces it as if it had never been removed.
  REQUIRE(catalogue.publish(file(1)));
  CHECK(catalogue.files().value().size() == 1);
}

TEST_CASE("a damaged file whose removal is taken back is damaged as before") {
  auto catalogue = opened(":memory:");
  REQUIRE(catalogue.publish(file(1)));
  REQUIRE(catalogue.set_channels({{"hook", every_topic}}));
  const core::Cause wrong{.code = base::Errc::integrity, .detail = "wrong"};
  REQUIRE(catalogue.keep_reading(catalogue.files().value()[0], at(20), core::Condition::damaged, wrong));
  const auto damages = catalogue.damages().value();
  REQUIRE(damages.size() == 1);
  REQUIRE(catalogue.remove({delta_name(1)}, at(90)));
  CHECK(catalogue.damages().value().empty());
  CHECK(catalogue.take_back(delta_name(1), at(95)).value() == 3);
  CHECK(catalogue.files().value()[0].condition == core::Condition::damaged);
  CHECK(catalogue.damages().value() == damages);
  CHECK(remembered(catalogue).changes.back().kind == ChangeKind::published);
  CHECK(catalogue.deliveries().value().size() == 1);
}

TEST_CASE("a removed file is not public any more, and may come again") {
  auto catalogue = opened(":memory:");
  REQUIRE(catalogue.publish(file(1)));
  CHECK(catalogue.remove({delta_name(1)}, at(9)).value() == 2);
  CHECK(catalogue.files().value().empty());
  CHECK(catalogue.publish(file(1)).value() == 3);
  const Memory expected{.changes = {change(1, ChangeKind::published, file(1), at(1)),
                                    change(2, ChangeKind::removed, file(1), at(9)),
                                    change(3, ChangeKind::published, file(1), at(1))}};
  CHECK(changes_of(catalogue) == shown(expected));
}

TEST_CASE("files that are removed together leave in one generation, and what was not public adds nothing to it") {
  auto catalogue = opened(":memory:");
  for (const int day : {1, 2, 3}) REQUIRE(catalogue.publish(file(day)));
  CHECK(catalogue.remove({delta_name(3), "v1/never.zip", delta_name(1)}, at(9)).value() == 4);
  CHECK(catalogue.generation().value() == 4);
  const auto names = [](const std::vector<core::FileRecord>& files) {
    std::vector<std::string> all;
    for (const auto& each : files) all.push_back(each.name);
    return all;
  };
  CHECK(names(catalogue.files().value()) == std::vector{delta_name(2)});
  CHECK(names(catalogue.leaving().value()) == std::vector{delta_name(1), delta_name(3)});
  const Memory expected{
      .changes = {change(1, ChangeKind::published, file(1), at(1)), change(2, ChangeKind::published, file(2), at(2)),
                  change(3, ChangeKind::published, file(3), at(3)), change(4, ChangeKind::removed, file(1), at(9)),
                  change(4, ChangeKind::removed, file(3), at(9))}};
  CHECK(changes_of(catalogue) == shown(expected));
  REQUIRE(catalogue.keep_gone({delta_name(3), delta_name(1)}));
  CHECK(catalogue.leaving().value().empty());
}

TEST_CASE("to remove what is not public changes nothing, the generation neither") {
  auto catalogue = opened(":memory:");
  REQUIRE(catalogue.publish(file(1)));
  const auto before = shown(catalogue);
  CHECK(catalogue.remove({delta_name(2)}, at(9)).value() == 1);
  CHECK(shown(catalogue) == before);
}

TEST_CASE("files come by kind and date, whatever the order in which they came and whatever their names") {
  auto catalogue = opened(":memory:");
  auto bulk = file(9);
  bulk.kind = core::Kind::bulk;
  auto early = file(1);
  early.name = "v1/z.zip";
  for (const auto& each : {file(3), bulk, file(2), early}) REQUIRE(catalogue.publish(each));
  Memory expected{.files = {published(bulk, 2), published(early, 4), file(2, 3), file(3, 1)}};
  CHECK(shown(Memory{.files = catalogue.files().value()}) == shown(expected));
}

TEST_CASE("only changes after the requested generation are returned") {
  auto catalogue = opened(":memory:");
  for (const int number : {1, 2, 3}) REQUIRE(catalogue.publish(file(number)));
  CHECK(catalogue.changes_since(0).value().size() == 3);
  REQUIRE(catalogue.changes_since(2).value().size() == 1);
  CHECK(catalogue.changes_since(2).value().front().name == delta_name(3));
  CHECK(catalogue.changes_since(3).value().empty());
}

TEST_CASE("a generation that this mirror does not know is a reset, with the one that it is at") {
  auto catalogue = opened(":memory:");
  REQUIRE(catalogue.publish(file(1)));
  const auto session = catalogue.edition().value().session;
  const auto changes = catalogue.changes_since(99).value();
  REQUIRE(changes.size() == 1);
  CHECK(changes.front().kind == core::ChangeKind::reset);
  CHECK(changes.front().generation == 1);
  CHECK(changes.front().session == session);
}

TEST_CASE("one file is asked for by its name, and is what the list of all has; a removed one is nothing") {
  auto catalogue = opened(":memory:");
  REQUIRE(catalogue.publish(file(1)));
  REQUIRE(catalogue.publish(file(2)));
  CHECK(catalogue.file(file(2).name).value() == catalogue.files().value().at(1));
  REQUIRE(catalogue.remove({file(2).name}, at(5)));
  CHECK_FALSE(catalogue.file(file(2).name).value());
  CHECK_FALSE(catalogue.file("v1/never.zip").value());
}

TEST_CASE("the time of the newest listing is known without its calendar") {
  auto catalogue = opened(":memory:");
  CHECK_FALSE(catalogue.listed_at().value());
  REQUIRE(catalogue.keep_listing(listing({listed(1)}), at(7)));
  CHECK(catalogue.listed_at().value() == at(7));
  CHECK(catalogue.last_listing().value()->at == at(7));
}

TEST_CASE("a file was last asked for when it was published, or when that is kept") {
  auto catalogue = opened(":memory:");
  REQUIRE(catalogue.publish(file(1)));
  REQUIRE(catalogue.publish(file(2)));
  CHECK(catalogue.files().value().at(0).probed_at == file(1).published_at);
  REQUIRE(catalogue.keep_probed(file(1).name, at(70)));
  CHECK(catalogue.files().value().at(0).probed_at == at(70));
  CHECK(catalogue.files().value().at(1).probed_at == file(2).published_at);
}

TEST_CASE("a quarantined file has left the listing since the first listing without it, until it is listed again") {
  auto catalogue = opened(":memory:");
  REQUIRE(catalogue.keep_listing(listing({listed(1), listed(2)}), at(0)));
  REQUIRE(catalogue.keep_quarantined(quarantined(1)));
  const auto left_at = [&catalogue] { return catalogue.quarantined().value().at(0).left_at; };
  REQUIRE(catalogue.keep_listing(listing({listed(1), listed(2)}), at(1)));
  CHECK_FALSE(left_at());
  REQUIRE(catalogue.keep_listing(listing({listed(2)}), at(2)));
  REQUIRE(catalogue.keep_listing(listing({listed(2)}), at(3)));
  CHECK(left_at() == at(2));
  REQUIRE(catalogue.keep_listing(listing({listed(1), listed(2)}), at(4)));
  CHECK_FALSE(left_at());
  REQUIRE(catalogue.keep_listing(listing({listed(2)}), at(5)));
  CHECK(left_at() == at(5));
  REQUIRE(catalogue.keep_quarantined(quarantined(1)));
  CHECK_FALSE(left_at());
  REQUIRE(catalogue.forget_quarantined(quarantined(1).name));
  CHECK(catalogue.quarantined().value().empty());
  CHECK(catalogue.forget_quarantined(quarantined(1).name));
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
  CHECK(shown(Memory{.files = catalogue.files().value()}) == shown(Memory{.files = {published(odd, 1)}}));
}

}  // namespace
}  // namespace vtmirror::test
