#include "vtmirror/core/listing.hpp"

#include "core/listing_text.hpp"
#include "vtmirror/base/text.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

using namespace vtmirror;
using namespace core::test;
using core::Kind;
using core::parse_listing;

namespace {

const core::ListingRules strict{};

std::string repeated(const std::string& piece, std::size_t times) {
  std::string text;
  for (std::size_t i = 0; i < times; ++i) text += piece;
  return text;
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("a week's listing is read, bulk first and deltas by date") {
  const auto read = parse_listing(
      listing({entry("bulk", 15)}, {entry("delta", 18), entry("delta", 9), entry("delta", 16), entry("delta", 15)}),
      strict);
  REQUIRE(read);
  CHECK(read->refused.empty());
  REQUIRE(read->entries.size() == 5);
  std::vector<std::string> order;
  for (const auto& one : read->entries)
    order.push_back(std::string{core::name(one.kind)} + " " + base::iso8601(one.date));
  CHECK(order == std::vector<std::string>{"bulk 2026-11-15", "delta 2026-11-09", "delta 2026-11-15", "delta 2026-11-16",
                                          "delta 2026-11-18"});
  const auto& bulk = read->entries.front();
  CHECK(bulk.name == "v1/public/bulk/year=2026/month=11/day=15/bulk-light-vehicle_15-11-2026.zip");
  CHECK(bulk.size == 95'800'000);
  CHECK(bulk.link.reveal() == "https://store.example/a.zip?X-Amz-Signature=5ecret");
}

TEST_CASE("a listing without files, with further members or with a key that comes twice is read") {
  CHECK(parse_listing(R"({"bulk":[],"delta":[]})", strict)->entries.empty());
  CHECK(parse_listing(R"({"bulk":[],"delta":[],"next":{"page":[1,2,{"a":null}]}})", strict));
  const auto twice = parse_listing(R"({"bulk":[],"bulk":[],"delta":7,"delta":[)" + entry("delta", 16) + "]}", strict);
  REQUIRE(twice);
  CHECK(twice->entries.size() == 1);
}

TEST_CASE("a text that is not a listing is an error that says why") {
  struct Case {
    std::string text;
    const char* reason;
  };
  for (const Case& row :
       {Case{"", "not readable JSON"},
        {"<html>Bad gateway</html>", "not readable JSON"},
        {R"({"bulk":[],"delta":[])", "not readable JSON"},
        {R"({"bulk":[],"delta":[]} x)", "not readable JSON"},
        {"[]", "not a JSON object"},
        {"null", "not a JSON object"},
        {R"({"delta":[]})", "lacks \"bulk\""},
        {R"({"bulk":[]})", "lacks \"delta\""},
        {R"({"bulk":{},"delta":[]})", "\"bulk\" that is not an array"},
        {R"({"bulk":[],"delta":null})", "\"delta\" that is not an array"},
        {R"({"bulk":[],"delta":"none"})", "\"delta\" that is not an array"},
        {repeated("[", 100'000), "too deep"},
        {R"({"bulk":)" + repeated("[", 100'000) + repeated("]", 100'000) + R"(,"delta":[]})", "too deep"},
        {repeated(R"({"bulk":)", 100'000), "too deep"},
        {R"({"bulk":[],"delta":[]})" + std::string(core::largest_listing, ' '), "4 MiB"},
        {R"({"bulk":[],"delta":[)" + repeated("0,", 1'000) + "0]}", "1,000 files"}}) {
    const auto& text = row.text;
    const auto& reason = row.reason;
    const auto read = parse_listing(text, strict);
    CAPTURE(text.substr(0, 60));
    REQUIRE_FALSE(read);
    CHECK(read.error().code == base::Errc::protocol);
    CHECK(has(read.error().detail, reason));
  }
}

TEST_CASE("a listing of a thousand files is still read") {
  const auto read = parse_listing(R"({"bulk":[],"delta":[)" + repeated("0,", 999) + "0]}", strict);
  REQUIRE(read);
  CHECK(read->refused.size() == 1'000);
  CHECK(read->refused.back().name == "delta[999]");
}

TEST_CASE("of two entries with one name, whatever its case, the later one is refused") {
  const auto read =
      parse_listing(listing({named("V1/A.zip")}, {named("v1/a.zip"), named("v1/b.zip"), named("v1/b.zip")}), strict);
  REQUIRE(read);
  REQUIRE(read->entries.size() == 2);
  CHECK(read->entries[0].name == "V1/A.zip");
  CHECK(read->entries[1].name == "v1/b.zip");
  const auto sixteenth = base::parse_date("2026-11-16").value();
  const auto twice = [&](const char* name) {
    return core::RefusedEntry{core::Kind::delta,
                              name,
                              "filename: the same name is listed twice",
                              sixteenth,
                              {core::EntryCheck::unique, "filename"}};
  };
  CHECK(read->refused == std::vector{twice("v1/a.zip"), twice("v1/b.zip")});
}

TEST_CASE("a name that is another entry's directory is refused, in either order") {
  for (const auto& [first, second] :
       {std::pair{"d/a.zip", "d/A.zip/b.zip"}, {"d/a.zip/b.zip", "D/a.zip"}, {"a.zip", "a.zip/b/c/d.zip"}}) {
    const auto read = parse_listing(listing({}, {named(first), named(second)}), strict);
    REQUIRE(read);
    REQUIRE(read->entries.size() == 1);
    CHECK(read->entries.front().name == first);
    REQUIRE(read->refused.size() == 1);
    CHECK(read->refused.front().name == second);
    CHECK(has(read->refused.front().why, "director"));
  }
  CHECK(parse_listing(listing({}, {named("d/a.zip"), named("d/a.zipped/b.zip")}), strict)->refused.empty());
}

TEST_CASE("a refused entry takes no name from a good one") {
  Fields bad;
  bad.size = "-1";
  const auto read = parse_listing(listing({}, {bad.json(), Fields{}.json()}), strict);
  REQUIRE(read);
  CHECK(read->entries.size() == 1);
  CHECK(read->refused.size() == 1);
}

TEST_CASE("a refused entry is of the day that its name states, and without a name of the day of its date") {
  Fields nameless;
  nameless.filename.clear();
  Fields contradictory;
  contradictory.created = R"("2027-11-16")";
  const auto read = parse_listing(listing({}, {nameless.json(), contradictory.json()}), strict);
  REQUIRE(read);
  REQUIRE(read->refused.size() == 2);
  CHECK(read->refused[0].name == "delta of 2026-11-16");
  CHECK(read->refused[0].date == base::parse_date("2026-11-16").value());
  CHECK(read->refused[1].date == base::parse_date("2026-11-16").value());
}

TEST_CASE("entries come out in one order, however they came in") {
  std::vector<std::string> deltas;
  for (int day = 10; day < 30; ++day) deltas.push_back(entry("delta", day));
  std::mt19937 random{1};
  for (int i = 0; i < 50; ++i) {
    std::shuffle(deltas.begin(), deltas.end(), random);
    const auto read = parse_listing(listing({entry("bulk", 15)}, deltas), strict);
    REQUIRE(read);
    REQUIRE(read->entries.size() == 21);
    REQUIRE(read->entries.front().kind == Kind::bulk);
    for (std::size_t k = 2; k < 21; ++k) REQUIRE(read->entries[k - 1].date < read->entries[k].date);
  }
}

TEST_CASE("a listing with one byte changed is an error, or every entry of it has passed the checks") {
  const std::string good = listing({entry("bulk", 15)}, {entry("delta", 15), entry("delta", 16)});
  std::mt19937 random{9};
  for (int i = 0; i < 5'000; ++i) {
    std::string text = good;
    text[random() % text.size()] = static_cast<char>(random());
    const auto read = parse_listing(text, strict);
    if (!read) continue;
    REQUIRE(read->entries.size() + read->refused.size() <= 3);
    for (const auto& one : read->entries) {
      REQUIRE(core::check_name(one.name));
      REQUIRE(one.size >= 1);
      REQUIRE(one.size <= core::largest_file);
      REQUIRE(base::lower(one.link.reveal()).starts_with("https://"));
    }
  }
}

TEST_CASE("a day to come, by the later of both clocks, is refused if it does not follow a day that has an entry") {
  const auto clock = [](int day) { return std::chrono::sys_days(std::chrono::year(2026) / 11 / day); };
  struct Case {
    int now;
    std::optional<int> date;
    std::vector<int> bulks;
    std::vector<int> deltas;
    std::vector<int> refused;
  };
  const std::vector<int> week{15, 16, 17};
  for (const Case& row :
       {Case{17, {}, {15}, {15, 16, 17, 18}, {}}, Case{17, {}, {15}, {15, 16, 17, 19}, {19}},
        Case{17, {}, {15}, {15, 16, 17, 20, 21}, {20, 21}}, Case{17, {}, {15, 22}, week, {22}},
        // A clock that is behind.
        Case{3, {}, {15}, week, {}}, Case{3, 3, {15}, week, {}}, Case{3, {}, {15}, {15, 16, 20}, {20}},
        Case{16, {}, {15}, {15, 16, 17, 18, 19}, {}}, Case{3, 19, {15}, {15, 16, 20}, {}},
        Case{19, 3, {15}, {15, 16, 20}, {}}, Case{3, {}, {15}, {}, {}}, Case{3, 3, {15}, {}, {15}},
        Case{3, 3, {}, {15}, {15}}, Case{3, 3, {15}, {16, 17}, {15, 16, 17}}}) {
    CAPTURE(row.now);
    CAPTURE(row.deltas.size());
    std::vector<std::string> bulks, deltas;
    for (const int day : row.bulks) bulks.push_back(entry("bulk", day));
    for (const int day : row.deltas) deltas.push_back(entry("delta", day));
    auto read = parse_listing(listing(bulks, deltas), {});
    REQUIRE(read);
    core::refuse_days_to_come(*read, clock(row.now),
                              row.date ? std::optional<base::Time>(clock(*row.date)) : std::nullopt);
    std::vector<int> refused;
    for (const auto& each : read->refused) {
      CHECK(each.failed.check == core::EntryCheck::to_come);
      refused.push_back(static_cast<int>(static_cast<unsigned>(each.date->day())));
    }
    CHECK(refused == row.refused);
    CHECK(read->entries.size() + refused.size() == bulks.size() + deltas.size());
  }
}

TEST_CASE("an entry that is refused for something else too is one of a day to come") {
  auto read = parse_listing(
      listing({entry("bulk", 15)}, {named("v1/public/delta/delta-light-vehicle_18-11-2027.zip", "2026-11-18")}), {});
  REQUIRE(read);
  REQUIRE(read->refused.size() == 1);
  core::refuse_days_to_come(*read, std::chrono::sys_days(std::chrono::year(2026) / 11 / 18), std::nullopt);
  CHECK(read->refused[0].failed.check == core::EntryCheck::to_come);
  CHECK(read->refused[0].why == "its day, 2027-11-18, is still to come");
}
