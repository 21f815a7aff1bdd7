// The content of a generation: whatever the manifest says of the chain makes another generation when it changes.
#include "support/upstream.hpp"
#include "vtmirror/core/chain.hpp"
#include "vtmirror/core/chain_json.hpp"

#include <doctest/doctest.h>
#include <boost/json.hpp>

#include <map>
#include <string>
#include <vector>

using namespace vtmirror::core;
using namespace vtmirror::test;
namespace base = vtmirror::base;

namespace {

std::string said(const Chain& chain) {
  boost::json::object object;
  put_chain(object, chain);
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
    row.detail = chance(random, 50) ? "its size is 7" : "";
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
