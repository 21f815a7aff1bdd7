#include "vtmirror/report/chain.hpp"
#include "vtmirror/report/files.hpp"
#include "vtmirror/report/history.hpp"
#include "vtmirror/report/missing.hpp"
#include "vtmirror/report/table.hpp"

#include <doctest/doctest.h>
#include <boost/json.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace vtmirror::report {
namespace {

using core::Kind;

base::Date day(unsigned number) { return {std::chrono::year(2026), std::chrono::November, std::chrono::day(number)}; }
base::Time at(int hour) { return std::chrono::sys_days(day(18)) + std::chrono::hours(hour); }

std::chrono::seconds tokyo(base::Time) { return std::chrono::hours(9); }

std::string delta(unsigned number) { return "v1/delta-light-vehicle_" + std::to_string(number) + "-11-2026.zip"; }
const std::string bulk = "v1/bulk-light-vehicle_15-11-2026.zip";

/// The week of the 15th: bulk and the first delta held, the second one on its way, the fourth one quarantined; the
/// third was never made.
catalogue::Catalogue week() {
  auto opened = catalogue::Catalogue::open(":memory:", catalogue::Access::read_write);
  if (opened.has_error()) FAIL(opened.error().message());
  auto catalogue = std::move(*opened);
  core::Listing listing;
  listing.entries = {{Kind::bulk, bulk, 1'000, day(15), {}},
                     {Kind::delta, delta(15), 100, day(15), {}},
                     {Kind::delta, delta(16), 200, day(16), {}},
                     {Kind::delta, delta(18), 300, day(18), {}}};
  REQUIRE(catalogue.keep_listing(listing, at(8)).has_value());
  REQUIRE(catalogue.publish({Kind::bulk, bulk, day(15), 1'000, std::string(64, 'a'), "\"e\"", at(9)}).has_value());
  REQUIRE(catalogue.publish({Kind::delta, delta(15), day(15), 100, "", "", at(10)}).has_value());
  core::PartialRecord partial{.name = delta(16), .kind = Kind::delta, .date = day(16), .size = 200};
  const std::vector<core::Range> ranges{{0, 50}};
  partial.durable = core::RangeSet(ranges);
  REQUIRE(catalogue.keep_partial(partial).has_value());
  REQUIRE(catalogue.keep_quarantined({delta(18), 300, {.detail = "x.json.gz: checksum"}, at(11)}).has_value());
  return catalogue;
}

boost::json::value parsed(const std::string& text) {
  CHECK(text.ends_with("\n"));
  return boost::json::parse(text);
}

TEST_CASE("the files are those held, those on their way and those refused") {
  const auto rows = file_rows(week());
  REQUIRE(rows.has_value());
  const auto json = parsed(files_json(*rows)).at("files").as_array();
  REQUIRE(json.size() == 4);
  CHECK(json[0] == boost::json::value{{"name", bulk},
                                      {"kind", "bulk"},
                                      {"date", "2026-11-15"},
                                      {"size", 1'000},
                                      {"state", "held"},
                                      {"published_at", "2026-11-18T09:00:00Z"},
                                      {"sha256", std::string(64, 'a')}});
  CHECK(json[1].at("sha256").is_null());
  CHECK(json[2] == boost::json::value{{"name", delta(16)},
                                      {"kind", "delta"},
                                      {"date", "2026-11-16"},
                                      {"size", 200},
                                      {"state", "partial"},
                                      {"published_at", nullptr},
                                      {"sha256", nullptr},
                                      {"durable", 50}});
  CHECK(json[3] == boost::json::value{{"name", delta(18)},
                                      {"kind", "delta"},
                                      {"date", "2026-11-18"},
                                      {"size", 300},
                                      {"state", "quarantined"},
                                      {"published_at", nullptr},
                                      {"sha256", nullptr},
                                      {"reason", "x.json.gz: checksum"},
                                      {"quarantined_at", "2026-11-18T11:00:00Z"}});
}

TEST_CASE("the table of files has a row a file") {
  const auto text = files_text(*file_rows(week()), 0);
  CHECK(text.find("delta-light-vehicle_16-11-2026.zip  delta  2026-11-16") != std::string::npos);
  CHECK(text.find("partial 25%") != std::string::npos);
  CHECK(text.find("x.json.gz: checksum") != std::string::npos);
}

TEST_CASE("each cell of the table of files stands below its heading") {
  const auto text = files_text(*file_rows(week()), 0);
  const auto line = text.substr(0, text.find('\n'));
  const auto row = text.substr(text.find("bulk-light-vehicle_15-11-2026.zip"));
  const auto below = [&](const std::string& heading) { return row.substr(line.find(heading)); };
  CHECK(below("NAME").starts_with("bulk-light-vehicle_15-11-2026.zip"));
  CHECK(below("KIND").starts_with("bulk "));
  CHECK(below("DATE").starts_with("2026-11-15 "));
  CHECK(row.find("1.00 KB") + 7 == line.find("SIZE") + 4);
  CHECK(below("STATE").starts_with("held "));
  CHECK(below("PUBLISHED").starts_with("2026-11-18T09:00:00Z "));
  CHECK(below("DIGEST OR REASON").starts_with("aaaa"));
}

/// The week's files under the names that the service gives them, which have short forms.
std::vector<FileRow> rows_of_service() {
  auto rows = *file_rows(week());
  for (auto& row : rows) {
    const auto day = row.name.substr(row.name.find('_') + 1, 2);
    row.name = "v1/public/" + std::string(core::name(*row.kind)) + "/year=2026/month=11/day=" + day +
               row.name.substr(row.name.rfind('/'));
  }
  return rows;
}

TEST_CASE("a terminal of 80 columns shows short names, whole times and the reason, and cuts nothing") {
  const auto rows = rows_of_service();
  CHECK(files_text(rows, 80, tokyo) ==
        "NAME          DATE           SIZE  STATE        PUBLISHED            REASON\n"
        "bulk 15 Nov   2026-11-15  1.00 KB  held         2026-11-18 18:00:00\n"
        "delta 15 Nov  2026-11-15    100 B  held         2026-11-18 19:00:00\n"
        "delta 16 Nov  2026-11-16    200 B  partial 25%\n"
        "delta 18 Nov  2026-11-18    300 B  quarantined  2026-11-18 20:00:00\n"
        "    x.json.gz: checksum\n");
  CHECK(files_text({rows.begin(), rows.begin() + 3}, 80, tokyo) ==
        "NAME          KIND   DATE           SIZE  STATE        PUBLISHED\n"
        "bulk 15 Nov   bulk   2026-11-15  1.00 KB  held         2026-11-18 18:00:00\n"
        "delta 15 Nov  delta  2026-11-15    100 B  held         2026-11-18 19:00:00\n"
        "delta 16 Nov  delta  2026-11-16    200 B  partial 25%\n");
}

TEST_CASE("a wide terminal shows whole names, and digests only where they are whole") {
  const auto rows = rows_of_service();
  const auto names = files_text(rows, 120, tokyo);
  CHECK(names.find("bulk-light-vehicle_15-11-2026.zip   bulk ") != std::string::npos);
  CHECK(names.find("aaaa") == std::string::npos);
  CHECK(files_text(rows, 200, tokyo) == files_text(rows, 0, tokyo));
  const auto narrow = files_text(rows, 20, tokyo);
  CHECK(narrow.find("delta 15 Nov  held") != std::string::npos);
}

TEST_CASE("a published file that is lost or damaged on disk is shown as that, with what it was") {
  auto catalogue = week();
  REQUIRE(catalogue.keep_condition(bulk, core::Condition::damaged).value());
  REQUIRE(catalogue.keep_condition(delta(15), core::Condition::lost).value());
  const auto rows = *file_rows(catalogue);
  const auto json = parsed(files_json(rows)).at("files").as_array();
  REQUIRE(json.size() == 4);
  CHECK(json[0] == boost::json::value{{"name", bulk},
                                      {"kind", "bulk"},
                                      {"date", "2026-11-15"},
                                      {"size", 1'000},
                                      {"state", "damaged"},
                                      {"published_at", "2026-11-18T09:00:00Z"},
                                      {"sha256", std::string(64, 'a')}});
  CHECK(json[1].at("state") == boost::json::value("lost"));
  CHECK(json[1].at("published_at") == boost::json::value("2026-11-18T10:00:00Z"));
  const auto text = files_text(rows, 0);
  CHECK(text.find("  damaged ") != std::string::npos);
  CHECK(text.find("  lost ") != std::string::npos);
}

TEST_CASE("a chain names no file that is lost or damaged, and says why each is missing") {
  auto catalogue = week();
  REQUIRE(catalogue.keep_condition(delta(15), core::Condition::lost).value());
  REQUIRE(catalogue.keep_unfit({{delta(16), 200, 50, 100}}));
  auto coverage = *coverage_of(catalogue);
  REQUIRE(coverage.chain.files.size() == 1);
  CHECK(coverage.chain.files[0].name == bulk);
  REQUIRE(coverage.chain.missing.size() == 3);
  CHECK(coverage.chain.missing[0].name == delta(15));
  CHECK(coverage.chain.missing[0].reason == core::MissingReason::lost);
  CHECK(coverage.chain.missing[1].reason == core::MissingReason::does_not_fit);
  CHECK(detail(coverage.chain.missing[1]) ==
        "it needs 200 B, and 50 B are free beside the reserve of 100 B: 150 B short");
  CHECK(coverage_text(coverage, 0)
            .find("Missing: delta-light-vehicle_16-11-2026.zip (no room on the disk: it needs "
                  "200 B, and 50 B are free beside the reserve of 100 B: 150 B short)\n") != std::string::npos);
  const auto json = parsed(coverage_json(coverage)).at("missing").as_array();
  CHECK(json[1].at("needs") == boost::json::value(200));
  CHECK(json[1].at("free") == boost::json::value(50));
  CHECK(json[1].at("short_by") == boost::json::value(150));
  CHECK(json[0].as_object().if_contains("needs") == nullptr);
  CHECK(coverage.chain.missing[2].reason == core::MissingReason::quarantined);
  CHECK(coverage_text(coverage, 0).find("Missing: delta-light-vehicle_15-11-2026.zip (lost from disk)\n") !=
        std::string::npos);
  CHECK(catalogue::chain_now(catalogue)->held == coverage.chain.files);

  REQUIRE(catalogue.keep_condition(bulk, core::Condition::damaged).value());
  coverage = *coverage_of(catalogue);
  CHECK(coverage.chain.files.empty());
  REQUIRE(coverage.chain.missing.size() == 4);
  CHECK(coverage.chain.missing[0].reason == core::MissingReason::damaged);
  CHECK(coverage_text(coverage, 0)
            .starts_with("No files to load: no bulk file is held.\nMissing: bulk-light-vehicle_15-11-2026.zip ("));
}

TEST_CASE("no sentence is part of what makes a generation, so that other words begin none") {
  auto catalogue = week();
  REQUIRE(catalogue.keep_condition(bulk, core::Condition::damaged).value());
  REQUIRE(catalogue.keep_quarantined({delta(18), 300, core::deadly_check(3), at(11)}).has_value());
  const auto now = catalogue::chain_now(catalogue);
  const auto content = core::content_of(now->chain, now->lost);
  CHECK(content.find(delta(18) + " quarantined ") != std::string::npos);
  for (const auto& file : now->chain.missing) {
    const auto words = coverage_of(catalogue)->why_missing.at(file.name);
    const auto more = words.find(": ");
    if (more != std::string::npos) CHECK(content.find(words.substr(more + 2)) == std::string::npos);
  }
}

std::size_t widest(const std::string& text) {
  std::istringstream lines(text);
  std::size_t widest = 0;
  for (std::string line; std::getline(lines, line);) widest = std::max(widest, columns_of(line));
  return widest;
}

TEST_CASE("coverage and history fit a narrow terminal: columns are left out in their turn, and sentences wrapped") {
  const auto text = coverage_text(coverage_of(week()).value(), 40);
  CAPTURE(text);
  CHECK(widest(text) <= 40);
  CHECK(text.starts_with("LOAD  NAME\n   1  bulk-light-vehicle_15-11-2026.zip\n"));
  CHECK(text.find("Missing:\n    delta-light-vehicle_16-11-2026.zip\n") != std::string::npos);
  const core::CycleRecord cycle{
      .id = 1,
      .started = at(8),
      .finished = at(9),
      .outcome = core::Outcome::partial,
      .files = 4,
      .bytes = 2'500'000'000,
      .failure = core::Failure{core::FailureKind::other, {.detail = "the store at store.example answered HTTP 404"}}};
  const auto history = history_text({cycle}, 60);
  CAPTURE(history);
  CHECK(widest(history) <= 60);
  CHECK(history.starts_with("ID  STARTED               OUTCOME  FILES    BYTES  REASON\n"));
}

TEST_CASE("a mirror that holds nothing answers with nothing") {
  CHECK(files_json({}) == "{\"schema\":1,\"files\":[]}\n");
  CHECK(history_json({}) == "{\"schema\":1,\"cycles\":[]}\n");
  CHECK(coverage_text({}, 0) == "No files to load: no cycle has received a listing yet; run `vtmirror sync`.\n");
  const auto coverage = parsed(coverage_json({}));
  CHECK(coverage.at("chain").as_array().empty());
  CHECK(coverage.at("listed_at").is_null());
  CHECK(coverage.at("complete") == boost::json::value(false));
}

TEST_CASE("coverage shows what to load, and what is missing and why") {
  const auto coverage = coverage_of(week());
  REQUIRE(coverage.has_value());
  const auto text = coverage_text(*coverage, 0);
  CHECK(text.starts_with("LOAD  KIND   DATE        "));
  CHECK(text.find("   1  bulk   2026-11-15  1.00 KB  bulk-light-vehicle_15-11-2026.zip\n") != std::string::npos);
  CHECK(text.find("   2  delta  2026-11-15    100 B  delta-light-vehicle_15-11-2026.zip\n") != std::string::npos);
  CHECK(text.find("not complete\n") != std::string::npos);
  CHECK(text.find("Missing: delta-light-vehicle_16-11-2026.zip (25% downloaded)\n") != std::string::npos);
  CHECK(text.find("Missing: delta-light-vehicle_18-11-2026.zip (quarantined: x.json.gz: checksum)\n") !=
        std::string::npos);
  CHECK(text.find(
            "Absent upstream: 17 Nov: the service made no delta; a later delta or the next bulk file has its data\n") !=
        std::string::npos);
  CHECK(text.ends_with("Listed at 2026-11-18T08:00:00Z\n"));
}

TEST_CASE("coverage says why the last cycle could not download a file, what waits for it, and when it is tried again") {
  auto catalogue = week();
  REQUIRE(catalogue.publish({Kind::delta, delta(18), day(18), 300, "", "", at(12)}).has_value());
  const auto id = catalogue.begin_cycle(at(12));
  REQUIRE(id.has_value());
  core::CycleRecord cycle{.id = *id, .started = at(12), .finished = at(13)};
  const core::Failure gone{.cause = {.code = base::Errc::link_refused,
                                     .subject = delta(16),
                                     .detail = "the store answered HTTP 404",
                                     .status = 404}};
  cycle.failure = gone;
  cycle.failures = std::vector{gone};
  REQUIRE(catalogue.finish_cycle(cycle).has_value());
  const auto coverage = *coverage_of(catalogue);
  const auto text = coverage_text(coverage, 0, tokyo, at(14));
  CHECK(text.find("Missing: delta-light-vehicle_16-11-2026.zip (25% downloaded: the store answered HTTP 404)\n") !=
        std::string::npos);
  CHECK(text.find("\n18 Nov is held, but cannot be loaded before 16 Nov\n") != std::string::npos);
  CHECK(text.ends_with("Listed at 2026-11-18 17:00:00\nNext try at 2026-11-18 23:00:00\n"));
  const auto json = parsed(coverage_json(coverage)).at("missing").as_array();
  CHECK(json.at(0).at("detail") == boost::json::value("the store answered HTTP 404"));
}

TEST_CASE("coverage says why a file that was lost was not downloaded again") {
  auto catalogue = week();
  REQUIRE(catalogue.keep_condition(delta(15), core::Condition::lost).value());
  const auto id = catalogue.begin_cycle(at(12));
  REQUIRE(id.has_value());
  core::CycleRecord cycle{.id = *id, .started = at(12), .finished = at(13)};
  cycle.failure = core::Failure{
      .cause = {.code = base::Errc::http_status, .subject = delta(15), .detail = "the store answered HTTP 500"}};
  cycle.failures = std::vector{*cycle.failure};
  REQUIRE(catalogue.finish_cycle(cycle).has_value());
  CHECK(coverage_text(*coverage_of(catalogue), 0)
            .find("delta-light-vehicle_15-11-2026.zip (lost from disk; not downloaded again: the store answered HTTP "
                  "500)\n") != std::string::npos);
}

TEST_CASE("coverage says that a file of the chain has a newer edition") {
  auto catalogue = week();
  core::Listing listing;
  listing.entries = {{Kind::bulk, bulk, 3'100'000, day(15), {}}, {Kind::delta, delta(15), 100, day(15), {}}};
  REQUIRE(catalogue.keep_listing(listing, at(12)).has_value());
  const auto text = coverage_text(*coverage_of(catalogue), 0);
  CHECK(
      text.find("Missing: bulk-light-vehicle_15-11-2026.zip (a newer edition (3.10 MB) is listed; the older one is in "
                "the chain; not downloaded yet)\n") != std::string::npos);
}

TEST_CASE("coverage says on which generation and which absent days a join rests, and agrees with their number") {
  Coverage coverage;
  coverage.chain.files = {{Kind::bulk, bulk, day(19), 1, "", 9}};
  coverage.chain.through = day(19);
  coverage.chain.continues = core::Continues{.after = delta(14), .sha256 = "", .generation = 8, .contiguous = true};
  coverage.chain.continues->assumes_absent = {day(15), day(16), day(17)};
  coverage.chain.absent_upstream = {day(20), day(21)};
  const auto text = coverage_text(coverage, 0);
  CHECK(text.find(
            "Continues: a consumer that has loaded up to delta-light-vehicle_14-11-2026.zip at generation 8 or later "
            "can load the deltas alone, if 15, 16 and 17 Nov really have no delta\n") != std::string::npos);
  CHECK(text.find("Absent upstream: 20 and 21 Nov: the service made no delta; a later delta or the next bulk file has "
                  "their data\n") != std::string::npos);
  coverage.chain.continues->assumes_absent = {day(15)};
  CHECK(coverage_text(coverage, 0).find(", if 15 Nov really has no delta\n") != std::string::npos);
}

TEST_CASE("a time is near or far by the reader's day, and away by whole seconds, of which none is now") {
  CHECK(near_day(day(20), day(20)) == "today");
  CHECK(near_day(day(21), day(20)) == "tomorrow");
  CHECK(near_day(day(19), day(20)) == "yesterday");
  CHECK(near_day(day(22), day(20)).empty());
  CHECK(local_day(at(20), tokyo) == day(19));
  CHECK(local_day(at(20), {}) == day(18));
  CHECK(minute_words(at(8), tokyo) == "17:00");
  CHECK(minute_words(at(8), {}) == "08:00 UTC");
  using namespace std::chrono;
  const auto now = at(8);
  const std::vector<std::pair<base::Milliseconds, std::string>> spans{
      {0ms, "now"},      {999ms, "now"},     {1s, "in 1s"},   {-1s, "1s ago"},    {59s, "in 59s"},     {-90s, "2m ago"},
      {59min, "in 59m"}, {-3600s, "1h ago"}, {47h, "in 47h"}, {48h, "in 2 days"}, {-71h, "3 days ago"}};
  for (const auto& each : spans) {
    CAPTURE(each.second);
    CHECK(away_words(now + each.first, now) == each.second);
  }
}

TEST_CASE("days are named once with the month that they share, and long runs by their ends") {
  const auto month = [](unsigned number, std::chrono::month of) {
    return base::Date(std::chrono::year(2026), of, std::chrono::day(number));
  };
  CHECK(days_words({}).empty());
  CHECK(days_words({day(20)}) == "20 Nov");
  CHECK(days_words({day(15), day(16), day(17)}) == "15, 16 and 17 Nov");
  CHECK(days_words({day(30), month(1, std::chrono::December)}) == "30 Nov and 1 Dec");
  const auto of = [](int y, int m, int d) { return base::Date(std::chrono::year(y) / m / d); };
  CHECK(days_words({of(2025, 12, 30), of(2025, 12, 31), of(2026, 1, 2)}) == "30, 31 Dec 2025 and 2 Jan 2026");
  CHECK(days_words({of(2025, 11, 20), of(2026, 11, 20)}) == "20 Nov 2025 and 20 Nov 2026");
  std::vector<base::Date> year;
  for (auto at = of(2026, 11, 29); at <= of(2027, 11, 26); at = base::next_day(at)) year.push_back(at);
  CHECK(days_words(year) == "29 Nov 2026 to 26 Nov 2027");
  CHECK(days_words({day(15), day(19), day(20), day(21), day(22)}) == "15 and 19 to 22 Nov");
  CHECK(clock_time(at(8), at(20), [](base::Time) { return std::chrono::seconds(0); }) == "08:00");
  CHECK(clock_time(at(8), at(20), tokyo) == "yesterday 17:00");
  CHECK(clock_time(at(8) + std::chrono::hours(24), at(20), {}) == "tomorrow 08:00 UTC");
  CHECK(clock_time(at(8) + std::chrono::hours(48), at(20), {}) == "2026-11-20 08:00 UTC");
  CHECK(clock_time(at(8) + std::chrono::hours(72), at(20), tokyo) == "2026-11-21 17:00");
  CHECK(local_time_with_offset(at(8), tokyo) == "2026-11-18 17:00:00 +09:00");
  CHECK(local_time_with_offset(at(8), [](base::Time) { return -std::chrono::minutes(210); }) ==
        "2026-11-18 04:30:00 -03:30");
  CHECK(local_time_with_offset(at(8), {}) == "2026-11-18T08:00:00Z");
}

TEST_CASE("the table of files has the reader's times") {
  CHECK(files_text(*file_rows(week()), 0, tokyo).find("  held         2026-11-18 18:00:00  aaaa") != std::string::npos);
}

TEST_CASE("coverage has the manifest's keys, and when the listing was taken") {
  const auto json = parsed(coverage_json(*coverage_of(week()))).as_object();
  std::vector<std::string> keys;
  for (const auto& member : json) keys.emplace_back(member.key());
  CHECK(keys == std::vector<std::string>{"schema", "chain", "complete", "through", "missing", "absent_upstream",
                                         "unaccounted", "continues", "listed_at"});
  CHECK(json.at("schema") == boost::json::value(2));
  CHECK(json.at("chain").as_array()[0] == boost::json::value{{"kind", "bulk"},
                                                             {"name", bulk},
                                                             {"date", "2026-11-15"},
                                                             {"size", 1'000},
                                                             {"sha256", std::string(64, 'a')},
                                                             {"since", 1}});
  CHECK(
      json.at("chain").as_array()[1] ==
      boost::json::value{{"kind", "delta"}, {"name", delta(15)}, {"date", "2026-11-15"}, {"size", 100}, {"since", 2}});
  CHECK(json.at("missing") == parsed(R"([{"kind":"delta","name":")" + delta(16) +
                                     R"(","date":"2026-11-16","reason":"not_downloaded"},
                                        {"kind":"delta","name":")" +
                                     delta(18) +
                                     R"(","date":"2026-11-18","reason":"quarantined","detail":"x.json.gz: checksum"}])"
                                     "\n"));
  CHECK(json.at("absent_upstream") == parsed("[{\"date\":\"2026-11-17\"}]\n"));
  CHECK(json.at("continues").is_null());
  CHECK(json.at("through") == boost::json::value("2026-11-15"));
  CHECK(json.at("listed_at") == boost::json::value("2026-11-18T08:00:00Z"));
}

TEST_CASE("a running cycle is in the history with its numbers so far, as far as they are known") {
  const std::vector<core::CycleRecord> cycles{{.id = 2, .started = at(9)}, {.id = 1, .started = at(8)}};
  HistoryLook look{.runs = true, .utc_offset = {}, .now = at(9) + std::chrono::seconds(20)};
  look.cycle.emplace();
  look.cycle->published = 2;
  look.cycle->fetched = 2'000'000'000;
  const auto text = history_text(cycles, 0, look);
  CHECK(text.find("   20s  running         2  2.00 GB  100 MB/s") != std::string::npos);
  const auto json = parsed(history_json(cycles, look)).at("cycles").as_array();
  CHECK(json.at(0).at("outcome") == "running");
  CHECK(json.at(0).at("finished").is_null());
  CHECK(json.at(0).at("files") == 2);
  CHECK(json.at(0).at("bytes") == 2'000'000'000);
  CHECK(json.at(0).at("rate") == 100'000'000);
  CHECK(json.at(1).at("outcome").is_null());
  look.cycle.reset();
  CHECK(parsed(history_json(cycles, look)).at("cycles").as_array().at(0).at("rate").is_null());
}

TEST_CASE("the history shows each cycle's outcome and rate") {
  const std::vector<core::CycleRecord> cycles{
      {.id = 2, .started = at(9)},
      {.id = 1,
       .started = at(8),
       .finished = at(8) + std::chrono::seconds(10),
       .outcome = core::Outcome::partial,
       .files = 3,
       .bytes = 1'000'000'000,
       .failure = core::Failure{.cause = {.code = base::Errc::timed_out, .detail = "no byte"}}}};
  const auto json = parsed(history_json(cycles)).at("cycles").as_array();
  CHECK(json[0] == boost::json::value{{"id", 2},
                                      {"started", "2026-11-18T09:00:00Z"},
                                      {"finished", nullptr},
                                      {"outcome", nullptr},
                                      {"files", 0},
                                      {"bytes", 0},
                                      {"rate", nullptr},
                                      {"error", nullptr}});
  CHECK(json[1] == boost::json::value{{"id", 1},
                                      {"started", "2026-11-18T08:00:00Z"},
                                      {"finished", "2026-11-18T08:00:10Z"},
                                      {"outcome", "partial"},
                                      {"files", 3},
                                      {"bytes", 1'000'000'000},
                                      {"rate", 100'000'000},
                                      {"error", "no byte"}});
  const auto text = history_text(cycles, 0);
  CHECK(text.find("  unfinished ") != std::string::npos);
  CHECK(text.find("its end was not recorded") != std::string::npos);
  CHECK(text.find("10s  partial") != std::string::npos);
  CHECK(text.find("100 MB/s  no byte\n") != std::string::npos);
  const auto running = history_text(cycles, 0, {.runs = true, .utc_offset = tokyo});
  CHECK(running.find("2026-11-18 18:00:00        running\n") != std::string::npos);
  CHECK(running.find("unfinished") == std::string::npos);
  CHECK(running.find("without a word") == std::string::npos);
}

}  // namespace
}  // namespace vtmirror::report
