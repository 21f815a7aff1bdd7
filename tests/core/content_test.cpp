// The content of a generation: whatever the manifest says of the chain makes another generation when it changes.
#include "support/upstream.hpp"
#include "vtmirror/core/chain.hpp"
#include "vtmirror/core/chain_json.hpp"

#include <doctest/doctest.h>
#include <boost/json.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

using namespace vtmirror::core;
using namespace vtmirror::test;
namespace base = vtmirror::base;

namespace {

std::string said(const Chain& chain) {
  std::vector<std::string> details;
  for (const auto& file : chain.missing) details.push_back(fields_json(lasting_cause(file).fields));
  boost::json::object object;
  put_chain(object, chain, details);
  return boost::json::serialize(object);
}

std::vector<base::Date> any_days(Random& random) {
  std::vector<base::Date> days;
  for (int number = 1; number < 4; ++number)
    if (chance(random, 30)) days.push_back(day(number));
  return days;
}

/// Of so few parts that two chains often differ in one of them.
Chain any_chain(Random& random) {
  Chain chain;
  chain.complete = chance(random, 50);
  for (int number = 1; number < 3; ++number) {
    if (chance(random, 50)) continue;
    auto file = held(delta(number, 100 + static_cast<int>(random() % 2)));
    file.since = static_cast<std::int64_t>(random() % 2);
    file.sha256 = random() % 2 == 0 ? "aa" : "";
    chain.files.push_back(file);
  }
  if (!chain.files.empty()) chain.through = chain.files.back().date;
  if (chance(random, 50)) {
    const auto missing = delta(5);
    Missing row{missing.kind, missing.name, missing.date};
    row.reason = chance(random, 50) ? MissingReason::refused : MissingReason::does_not_fit;
    row.cause = refusal({chance(random, 50) ? EntryCheck::size : EntryCheck::unknown, "fileSize"},
                        chance(random, 50) ? "its size is 7" : "");
    if (chance(random, 50)) row.date.reset();
    chain.missing.push_back(row);
  }
  chain.absent_upstream = any_days(random);
  chain.unaccounted = any_days(random);
  if (chance(random, 30)) return chain;
  Continues join{.after = "v1/a.zip", .sha256 = random() % 2 == 0 ? "aa" : "", .generation = 3};
  join.contiguous = chance(random, 50);
  join.reason = chance(random, 50) ? "held" : "gap";
  join.assumes_absent = any_days(random);
  chain.continues = join;
  return chain;
}

}  // namespace

TEST_CASE("two chains of which the manifest says different things never have the same content") {
  Random random(7);
  std::map<std::string, std::string> said_with;
  int met_again = 0;
  for (int round = 0; round < 50'000; ++round) {
    const auto chain = any_chain(random);
    const auto [known, is_new] = said_with.emplace(content_of(chain, {}), said(chain));
    met_again += is_new ? 0 : 1;
    REQUIRE(known->second == said(chain));
  }
  CHECK(met_again > 1'000);
}

TEST_CASE(
    "a day that nobody knows anything of is part of the content, and a chain without one has that of version 0.1.0") {
  Chain chain;
  chain.absent_upstream = {day(1)};
  CHECK(content_of(chain, {}) == "not complete\nabsent\n" + base::iso8601(day(1)) + "\nlost\n");
  chain.unaccounted = {day(2)};
  CHECK(content_of(chain, {}) != content_of(Chain{.absent_upstream = {day(1)}}, {}));
}

namespace {

Missing lacking(const Listed& file, MissingReason reason, Cause cause = {}) {
  return {file.kind, file.name, file.date, reason, std::move(cause)};
}

/// A chain that lacks a file for each reason whose cause was a sentence in the content of older versions.
Chain with_causes() {
  Chain chain;
  chain.files = {held(bulk(0))};
  chain.missing = {lacking(delta(1), MissingReason::quarantined, deadly_check(3)),
                   lacking(delta(2), MissingReason::damaged), lacking(delta(3), MissingReason::lost),
                   lacking(delta(4), MissingReason::does_not_fit, {.fields = {{"needed", std::int64_t{60}}}})};
  chain.missing.push_back({Kind::delta, "delta[7]", std::nullopt, MissingReason::refused,
                           refusal({EntryCheck::presence, "fileSize"}, "no size")});
  chain.absent_upstream = {day(6)};
  return chain;
}

/// What a version with sentences in it stored for `with_causes`.
std::string older(const std::string& quarantined, const std::string& damaged, const std::string& refused) {
  const auto first = with_causes().files.front();
  return "not complete\nbulk " + first.name + ' ' + base::iso8601(first.date) + ' ' + std::to_string(first.size) +
         " digest 1\nmissing " + delta(1).name + " quarantined " + quarantined + "\nmissing " + delta(2).name +
         " damaged " + damaged + "\nmissing " + delta(3).name + " lost \nmissing " + delta(4).name +
         " does_not_fit \nmissing delta[7] refused " + refused + " undated\nabsent\n" + base::iso8601(day(6)) +
         "\nlost\n";
}

}  // namespace

TEST_CASE("a cause is in the content by its code and its fields, each of which makes another one") {
  const auto before = content_of(with_causes(), {});
  CHECK(before.find("died") != std::string::npos);
  for (const auto& cause :
       {deadly_check(4), Cause{.code = base::Errc::integrity, .detail = "a member is cut"}, Cause()}) {
    auto chain = with_causes();
    chain.missing.front().cause = cause;
    CHECK_FALSE(is_same_content(before, content_of(chain, {})));
  }
  for (const auto& failed : {FailedCheck{EntryCheck::type, "fileSize"}, FailedCheck{EntryCheck::presence, "filename"},
                             FailedCheck{EntryCheck::presence, ""}, FailedCheck()}) {
    auto chain = with_causes();
    chain.missing.back().cause = refusal(failed, "no size");
    CHECK_FALSE(is_same_content(before, content_of(chain, {})));
  }
  // It is a part of the detail.
  auto damaged = with_causes();
  damaged.missing.front().cause = {.code = base::Errc::integrity, .detail = "a.json: it is cut"};
  const auto without_why = content_of(damaged, {});
  damaged.missing.front().cause.fields = {{"why", std::string("it is cut")}};
  CHECK(content_of(damaged, {}) == without_why);
  auto larger = with_causes();
  larger.missing[3].cause.fields = {{"needed", std::int64_t{70}}};
  CHECK(content_of(larger, {}) == before);
}

TEST_CASE("other words for the same cause are no other content") {
  const auto before = content_of(with_causes(), {});
  auto reworded = with_causes();
  for (auto& file : reworded.missing) file.cause.detail = "in other words";
  CHECK(content_of(reworded, {}) == before);
  CHECK(before.find("no size") == before.npos);
}

namespace {

/// What a version stored that had the details among the values of a cause, and no check for a refusal.
std::string with_detail(const std::string& died, const std::string& refused) {
  return older(R"({"cause":"integrity","detail":"","status":0,"fields":{"died":)" + died + "}}",
               R"({"cause":"","detail":"","status":0,"fields":{}})",
               R"({"cause":"","detail":"no )" + refused + R"(","status":0,"fields":{}})");
}

}  // namespace

TEST_CASE("the content that a version stored with details is the same, and a refusal that it knew by words alone too") {
  const auto now = content_of(with_causes(), {});
  CHECK(is_same_content(with_detail("3", "size"), now));
  CHECK(is_same_content(with_detail("3", "\\\"fileSize\\\""), now));
  CHECK_FALSE(is_same_content(with_detail("4", "size"), now));
  auto words_alone = with_causes();
  words_alone.missing.back().cause = {.detail = "no size"};
  CHECK(is_same_content(with_detail("3", "size"), content_of(words_alone, {})));
  CHECK(is_same_content(content_of(words_alone, {}), now));
  auto quarantined = with_causes();
  quarantined.missing.front().cause = {.detail = "it is damaged"};
  CHECK_FALSE(is_same_content(content_of(quarantined, {}), now));
}

TEST_CASE("the content that an older version stored is the same, whatever its sentences were") {
  const auto now = content_of(with_causes(), {});
  CHECK(is_same_content(now, now));
  CHECK(is_same_content(older("the program ended 3 times", "its bytes are others", "no size"), now));
  CHECK(is_same_content(older("it killed the program", "", "its size is missing"), now));
  CHECK(is_same_content(older("", "", ""), now));
}

TEST_CASE("the content that an older version stored is another one if more than its sentences differ") {
  const auto words = older("ended 3 times", "others", "no size");
  CHECK_FALSE(is_same_content("", content_of(with_causes(), {})));
  const auto differs = [&](auto&& change) {
    auto chain = with_causes();
    change(chain);
    return !is_same_content(words, content_of(chain, {}));
  };
  CHECK(differs([](Chain& chain) { chain.complete = true; }));
  CHECK(differs([](Chain& chain) { chain.files.clear(); }));
  CHECK(differs([](Chain& chain) { chain.absent_upstream.clear(); }));
  CHECK(differs([](Chain& chain) { chain.missing[0].reason = MissingReason::damaged; }));
  CHECK(differs([](Chain& chain) { chain.missing[2].reason = MissingReason::damaged; }));
  CHECK(differs([](Chain& chain) { chain.missing.back().date = day(5); }));
  for (std::size_t i = 0; i < with_causes().missing.size(); ++i) {
    CAPTURE(i);
    CHECK(differs([i](Chain& chain) { chain.missing.erase(chain.missing.begin() + static_cast<std::ptrdiff_t>(i)); }));
  }
  CHECK_FALSE(is_same_content(words, content_of(with_causes(), {held(delta(2))})));
}
