#include "catalogue/made.hpp"
#include "catalogue/sql.hpp"
#include "catalogue/sqlite_schema.hpp"
#include "support/temporary_directory.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace vtmirror::test {
namespace {

/// The last migration that version 0.1.0 had.
constexpr std::size_t first_release = 6;

/// A row in each table, as version 0.1.0 wrote it.
constexpr std::string_view rows_of_first_release = R"sql(
INSERT INTO listing (id, at) VALUES (1, 1000);
INSERT INTO listed (position, kind, name, date, size)
  VALUES (0, 'bulk', 'b.zip', '2026-11-15', 7), (1, 'delta', 'p.zip', '2026-11-17', 100);
INSERT INTO absent_day (date) VALUES ('2026-11-16');
INSERT INTO version (id, state, kind, name, date, size, sha256, etag, published_at)
  VALUES (1, 'superseded', 'bulk', 'b.zip', '2026-11-15', 6, 'd0', '', 2000),
         (2, 'public', 'bulk', 'b.zip', '2026-11-15', 7, 'd1', '"e"', 3000),
         (3, 'removed', 'delta', 'gone.zip', '2026-11-10', 8, 'd2', '', 1800);
INSERT INTO change (generation, version, kind, at)
  VALUES (2, 3, 'published', 1800), (4, 1, 'published', 2000), (5, 1, 'superseded', 3000), (5, 2, 'published', 3000),
         (6, 3, 'removed', 3500);
INSERT INTO restored (id, generation, at) VALUES (1, 3, 1500);
INSERT INTO partial (id, name, kind, date, size, etag, verified, sha256)
  VALUES (1, 'p.zip', 'delta', '2026-11-17', 100, '"p"', 0, '');
INSERT INTO partial_range (partial, starts, ends) VALUES (1, 10, 20);
INSERT INTO quarantine (name, size, reason, at) VALUES ('q.zip', 9, 'integrity: member 1 is damaged', 4000);
INSERT INTO cycle (id, started, finished, outcome, files, bytes, error) VALUES
  (1, 10, 20, 'complete', 2, 300, ''),
  (2, 30, 40, 'failed', 0, 0, 'forbidden: AADSTS7000215: the secret is wrong'),
  (3, 50, 60, 'partial', 1, 0, 'v1/a.zip: timed_out: no byte: from store.example'),
  (4, 70, 80, 'partial', 0, 0, 'no_space: v1/b.zip does not fit: it needs 5 GB'),
  (5, 90, 95, 'partial', 0, 0, 'stopped before its end; the next one goes on from here'),
  (6, 96, 97, 'partial', 0, 0, 'v1/c.zip is in the quarantine until tomorrow: integrity: too short'),
  (7, 98, 99, 'partial', 0, 0, 'entry delta[3] of the listing is refused: its size is negative'),
  (8, 100, 101, 'partial', 0, 0, 'v1/d.zip: cancelled'),
  (9, 102, NULL, NULL, 0, 0, '');
INSERT INTO key_use (id, at) VALUES (1, 5000);
INSERT INTO credential (fingerprint, first_seen, refused_at, refusal, rotation_began, rotation_end)
  VALUES ('f', 1, 2, 'its words', 3, 'how it ended');
INSERT INTO secret_warning (fingerprint, expires_on, days, at) VALUES ('f', '2026-12-24', 14, 9);
INSERT INTO channel (name, topic) VALUES ('mail', 'warning'), ('hook', 'published');
INSERT INTO notice (id, key, at, body) VALUES
  (1, 'k1', 7, '{"schema":1,"event":"warning","code":"low_space","level":"error","stage":"began","at":"1970-01-01T00:00:00Z","message":"full"}'),
  (2, 'k2', 8, '{"schema":1,"event":"warning","code":"low_space","level":"info","stage":"over","at":"1970-01-01T00:00:00Z","message":"over: full"}'),
  (3, 'k3', 9, '{"schema":1,"event":"published","code":"published","level":"info","at":"1970-01-01T00:00:00Z","message":"b.zip"}');
INSERT INTO delivery (channel, notice, attempts, due, error) VALUES
  ('mail', 1, 2, 900, 'unreachable: mail.example'), ('mail', 2, 0, 8, ''), ('hook', 3, 1, 900, 'forbidden');
INSERT INTO problem (code, since, message, files) VALUES
  ('low_space', 11, 'v1/b.zip: it needs 5 GB (and 1 more)', 2),
  ('late_delta', 12, 'the delta of 2026-11-18 was not listed in time', 1),
  ('missing_files', 13, 'v1/a.zip: timed_out: no byte', 1),
  ('key_revoked', 14, 'the service refuses the API key: FB-03', 1);
INSERT INTO failure (position, kind, name, reason) VALUES
  (0, 'refused_entry', 'delta[3]', 'its size is negative'), (1, 'other', 'v1/a.zip', 'timed_out: no byte'),
  (2, 'no_space', 'v1/b.zip', 'it needs 5 GB');
)sql";

/// A catalogue as version 0.1.0 left it.
struct OlderCatalogue {
  OlderCatalogue() {
    write_file(path, "");
    const auto driver = connected(path);
    for (const auto& step : catalogue::migrations().first(first_release))
      REQUIRE(driver->script(std::string(step.sql)));
    REQUIRE(driver->script("PRAGMA application_id = 1987341682; PRAGMA user_version = 6"));
    for (const auto& table : column(*driver, "SELECT name FROM sqlite_schema WHERE type = 'table'"))
      tables.insert(table);
    REQUIRE(driver->script(std::string(rows_of_first_release)));
    for (const auto& table : tables) {
      CAPTURE(table);
      CHECK(std::string_view(rows_of_first_release).find("INSERT INTO " + table + " ") != std::string_view::npos);
    }
  }

  TemporaryDirectory directory{TemporaryDirectory::base_in_memory()};
  std::string path = (directory / "catalogue.db").string();
  std::set<std::string> tables;
};

base::Time ms(int milliseconds) { return base::Time{base::Milliseconds{milliseconds}}; }

TEST_CASE("a catalogue of version 0.1.0 keeps its files, partials and credentials") {
  const OlderCatalogue older;
  auto catalogue = opened(older.path);
  const auto listing = catalogue.last_listing().value().value();
  CHECK(listing.at == ms(1000));
  CHECK(core::listed_files(listing.calendar) ==
        std::vector<core::Listed>{{core::Kind::bulk, "b.zip", day(0), 7}, {core::Kind::delta, "p.zip", day(2), 100}});
  CHECK(listing.calendar.absent == std::vector{day(1)});
  const auto files = catalogue.files().value();
  REQUIRE(files.size() == 1);
  CHECK(files[0].sha256 == "d1");
  CHECK(files[0].since == 5);
  CHECK(files[0].condition == core::Condition::whole);
  CHECK(catalogue.generation().value() == 6);
  CHECK(catalogue.changes_since(0).value().size() == 5);
  const auto partials = catalogue.partials().value();
  REQUIRE(partials.size() == 1);
  CHECK(partials[0].durable.ranges() == std::vector{core::Range{10, 20}});
  CHECK(catalogue.last_key_use().value() == ms(5000));
  const auto credential = catalogue.credential("f").value().value();
  CHECK(credential.refusal == core::Cause{.code = base::Errc::forbidden, .detail = "its words"});
  CHECK(credential.rotation_end == core::RotationEnd{core::RotationOutcome::older, {.detail = "how it ended"}});
  CHECK(credential.warnings.size() == 1);
}

TEST_CASE("a catalogue of version 0.1.0 that cannot be brought up to date is left as it was, not half way") {
  const OlderCatalogue older;
  REQUIRE(connected(older.path)->script("CREATE TABLE consumer (x)"));  // a late step creates a table of that name
  const auto opened = catalogue::Catalogue::open(older.path, catalogue::Access::read_write);
  REQUIRE_FALSE(opened);
  CHECK(opened.error().code == base::Errc::catalogue);
  const auto driver = connected(older.path);
  CHECK(column(*driver, "SELECT user_version FROM pragma_user_version") == std::vector<std::string>{"6"});
  auto tables = older.tables;
  tables.insert("consumer");
  const auto left = column(*driver, "SELECT name FROM sqlite_schema WHERE type = 'table'");
  CHECK(std::set(left.begin(), left.end()) == tables);
}

TEST_CASE("a catalogue of version 0.1.0 knows in its calendar what was listed and what was ever public") {
  const OlderCatalogue older;
  auto catalogue = opened(older.path);
  using core::Standing;
  const std::vector<core::ListedFile> expected{
      {core::Kind::bulk, "b.zip", day(0), 7, true, "", false, Standing::held, 5, "d1"},
      {core::Kind::delta, "gone.zip", day(-5), 8, false, "", false, Standing::held, 2, "d2"},
      {core::Kind::delta, "p.zip", day(2), 100, true, "", false, Standing::gap, 0, ""}};
  CHECK(catalogue.calendar().value().files == expected);
  CHECK(catalogue.calendar().value().undated.empty());
  CHECK(catalogue.unfit().value().empty());
}

TEST_CASE("a catalogue of version 0.1.0 gets one session, and its manifest's generation stays") {
  const OlderCatalogue older;
  core::Edition edition;
  {
    auto catalogue = opened(older.path);
    edition = catalogue.edition().value();
    CHECK(edition.session.size() == 32);
    CHECK(edition.generation == 6);
    CHECK(edition.at == ms(3500));
    CHECK(catalogue.settle("what it says", ms(9000)).value().generation == 6);
  }
  CHECK(opened(older.path).edition().value().session == edition.session);
}

TEST_CASE("a catalogue of version 0.1.0 keeps why its cycles failed, with the code that its sentences began with") {
  const OlderCatalogue older;
  auto catalogue = opened(older.path);
  auto cycles = catalogue.history(99).value();
  REQUIRE(cycles.size() == 9);
  std::reverse(cycles.begin(), cycles.end());
  CHECK_FALSE(cycles[0].failure);
  CHECK(cycles[0].files == 2);
  CHECK_FALSE(cycles[8].failure);
  CHECK_FALSE(cycles[8].finished);

  const std::vector<core::Failure> failures{
      {core::FailureKind::other, {.code = base::Errc::forbidden, .detail = "AADSTS7000215: the secret is wrong"}},
      {core::FailureKind::other,
       {.code = base::Errc::timed_out, .subject = "v1/a.zip", .detail = "no byte: from store.example"}},
      {core::FailureKind::other, {.code = base::Errc::no_space, .detail = "v1/b.zip does not fit: it needs 5 GB"}},
      core::stopped(),
      {core::FailureKind::quarantined, {.code = base::Errc::integrity, .subject = "v1/c.zip", .detail = "too short"}},
      {core::FailureKind::other, {.detail = "entry delta[3] of the listing is refused: its size is negative"}},
      {core::FailureKind::other, {.code = base::Errc::cancelled, .subject = "v1/d.zip"}}};
  for (std::size_t i = 0; i < failures.size(); ++i) {
    CAPTURE(i);
    REQUIRE(cycles[i + 1].failure);
    CHECK(*cycles[i + 1].failure == failures[i]);
  }
}

TEST_CASE("a catalogue of version 0.1.0 keeps its quarantine, its failures and its problems, in the same words") {
  const OlderCatalogue older;
  auto catalogue = opened(older.path);
  const auto quarantined = catalogue.quarantined().value();
  REQUIRE(quarantined.size() == 1);
  CHECK(quarantined[0].name == "q.zip");
  CHECK(quarantined[0].at == ms(4000));
  CHECK(quarantined[0].cause == core::Cause{.code = base::Errc::integrity, .detail = "member 1 is damaged"});

  const auto failures = catalogue.failures().value();
  REQUIRE(failures.size() == 3);
  CHECK(failures[0] ==
        core::Failure{core::FailureKind::refused_entry, {.subject = "delta[3]", .detail = "its size is negative"}});
  CHECK(failures[1].cause == core::Cause{.code = base::Errc::timed_out, .subject = "v1/a.zip", .detail = "no byte"});
  CHECK(failures[2].kind == core::FailureKind::no_space);
  CHECK(failures[2].cause == core::Cause{.subject = "v1/b.zip", .detail = "it needs 5 GB"});

  const auto problems = catalogue.problems().value();
  REQUIRE(problems.size() == 4);
  using core::ProblemCode;
  CHECK(problems[0] ==
        core::Problem{ProblemCode::key_revoked, ms(14), {.detail = "the service refuses the API key: FB-03"}});
  CHECK(problems[1] ==
        core::Problem{ProblemCode::late_delta, ms(12), {.detail = "the delta of 2026-11-18 was not listed in time"}});
  CHECK(problems[2] ==
        core::Problem{ProblemCode::low_space, ms(11), {.detail = "v1/b.zip: it needs 5 GB (and 1 more)"}, 2});
  CHECK(problems[3] == core::Problem{ProblemCode::missing_files,
                                     ms(13),
                                     {.code = base::Errc::timed_out, .subject = "v1/a.zip", .detail = "no byte"}});
}

TEST_CASE("a catalogue of version 0.1.0 keeps its undelivered notices, their channels and their order") {
  const OlderCatalogue older;
  auto catalogue = opened(older.path);
  const auto deliveries = catalogue.deliveries().value();
  REQUIRE(deliveries.size() == 3);
  CHECK(deliveries[0].cause == core::Cause{.code = base::Errc::unreachable, .detail = "mail.example"});
  CHECK(deliveries[0].attempts == 2);
  CHECK(deliveries[1].cause == core::Cause{});
  CHECK(deliveries[2].cause == core::Cause{.code = base::Errc::forbidden});
  // That it is over is due first, and waits for its beginning all the same.
  CHECK(catalogue.next_delivery("mail", core::DeliveryOrder::by_due).value()->notice.id == "k1");
  const auto ended = catalogue.set_channels({{"hook new", {core::Topic::published}}, {"mail", {core::Topic::warning}}});
  REQUIRE(ended.value().size() == 1);
  CHECK(ended.value()[0].handed_over == 1);
}

TEST_CASE("a catalogue of version 0.1.0 counts the chain that it holds as announced") {
  const OlderCatalogue older;
  auto catalogue = opened(older.path);
  REQUIRE(catalogue.set_channels({{"hook", {core::Topic::chain}}}));
  const auto files = catalogue.files().value();
  const auto stock = core::stock_of(files);
  REQUIRE_FALSE(stock.held.empty());
  REQUIRE(stock.held.front().kind == core::Kind::bulk);
  core::Chain chain{.files = {stock.held.front()}};
  chain.files.push_back({core::Kind::delta, delta_name(17), day(17), 9, "digest", 9});
  REQUIRE(catalogue.settle("first words", ms(20)));
  REQUIRE(catalogue.settle("next words", ms(20)));
  REQUIRE(catalogue.announce_chain(chain, "next words", ms(21)));
  const auto deliveries = catalogue.deliveries().value();
  REQUIRE_FALSE(deliveries.empty());
  REQUIRE(deliveries.back().notice.chain);
  CHECK(deliveries.back().notice.chain->added == std::vector{delta_name(17)});
  CHECK(deliveries.back().notice.chain->replaced.empty());
}

}  // namespace
}  // namespace vtmirror::test
