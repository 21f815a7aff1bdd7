#include "vtmirror/core/retention.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "support/upstream.hpp"

using namespace vtmirror::core;
using namespace vtmirror::test;

namespace {

using Files = std::vector<Listed>;
using Names = std::vector<std::string>;

const Files three_cycles{bulk(0), delta(0), delta(6), bulk(7), delta(7), delta(13), bulk(14), delta(14)};
const Files newest{bulk(14), delta(14)};

bool is_in(const std::string& name, const Names& names) { return std::ranges::find(names, name) != names.end(); }

std::vector<Held> without(std::vector<Held> files, const Names& names) {
  std::erase_if(files, [&](const Held& file) { return is_in(file.name, names); });
  return files;
}

}  // namespace

TEST_CASE("a delta of the bulk file's own day follows that bulk file") {
  const auto cycles = cycles_of(held(Files{delta(8), delta(7), bulk(0), bulk(7), delta(6)}));
  REQUIRE(cycles.size() == 2);
  CHECK(cycles[0].files == held(Files{bulk(7), delta(7), delta(8)}));
  CHECK(cycles[1].files == held(Files{bulk(0), delta(6)}));
}

TEST_CASE("deltas older than every bulk file are a group without one") {
  const auto cycles = cycles_of(held(Files{delta(5), bulk(7), delta(6)}));
  REQUIRE(cycles.size() == 2);
  CHECK(cycles[0].has_bulk);
  CHECK_FALSE(cycles[1].has_bulk);
  CHECK(cycles[1].files == held(Files{delta(5), delta(6)}));
}

TEST_CASE("a policy of 0 keeps everything") { CHECK(prune(held(three_cycles), newest, 0).empty()); }

TEST_CASE("the newest chains are kept and the older ones go, oldest first") {
  CHECK(prune(held(three_cycles), newest, 3).empty());
  CHECK(prune(held(three_cycles), newest, 2) == Names{bulk(0).name, delta(0).name, delta(6).name});
  CHECK(prune(held(three_cycles), newest, 1) ==
        Names{bulk(0).name, delta(0).name, delta(6).name, bulk(7).name, delta(7).name, delta(13).name});
}

TEST_CASE("a chain whose listed files are not all held does not replace the one before it") {
  const Files listing{bulk(14), delta(14), delta(15)};
  CHECK(prune(held(three_cycles), listing, 1) == Names{bulk(0).name, delta(0).name, delta(6).name});
}

TEST_CASE("while the new bulk file is on its way the chain that it will replace stays") {
  const Files listing{bulk(21), delta(21)};
  auto holding = held(three_cycles);
  holding.push_back(held(delta(21)));
  const Names gone = prune(holding, listing, 1);
  CHECK_FALSE(is_in(bulk(14).name, gone));
  CHECK_FALSE(is_in(delta(21).name, gone));
  CHECK(is_in(bulk(7).name, gone));
}

TEST_CASE("a chain of which a file is lost does not replace the one before it, and goes with what is lost of it") {
  const auto lost = held(Files{delta(13)});
  auto holding = held(three_cycles);
  std::erase_if(holding, [&](const Held& file) { return file.name == delta(13).name; });
  CHECK(prune(holding, newest, 1, lost) ==
        Names{bulk(0).name, delta(0).name, delta(6).name, bulk(7).name, delta(7).name, delta(13).name});
  CHECK(prune(without(holding, {bulk(14).name}), {}, 1, lost).empty());
}

TEST_CASE("a lost bulk file begins no chain that counts") {
  const auto lost = held(Files{bulk(14)});
  const auto holding = without(held(three_cycles), {bulk(14).name});
  CHECK(prune(holding, newest, 1, lost) == Names{bulk(0).name, delta(0).name, delta(6).name});
  CHECK(prune(holding, newest, 2, lost).empty());
}

TEST_CASE("a chain waits for the listed deltas of its days although its bulk file is listed no longer") {
  const Files listing{delta(14), delta(15)};
  CHECK(prune(held(three_cycles), listing, 1) == Names{bulk(0).name, delta(0).name, delta(6).name});
}

TEST_CASE("loose deltas stay as long as no bulk file is held") {
  CHECK(prune(held(Files{delta(0), delta(1)}), newest, 1).empty());
  CHECK(prune(held(Files{delta(0), bulk(7)}), {}, 1) == Names{delta(0).name});
}

TEST_CASE("a listed file stays whatever chain it is of") {
  const Files listing{bulk(0), delta(0)};
  const Names gone = prune(held(three_cycles), listing, 1);
  CHECK_FALSE(is_in(bulk(0).name, gone));
  CHECK_FALSE(is_in(delta(0).name, gone));
}

TEST_CASE("over any history nothing that can be loaded or is listed goes, and a chain is always left") {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    INFO("seed " << seed);
    Random random(seed);
    Upstream upstream(random);
    std::vector<Held> holding;
    Chain whole;  // the newest that was complete
    for (int today = 0; today < 45; ++today) {
      const Files listing = upstream.next_listing();
      for (const Listed& file : listing) {
        const bool is_held = std::ranges::find(holding, file.name, &Held::name) != holding.end();
        if (!is_held && chance(random, 60)) holding.push_back(held(file));
      }
      std::shuffle(holding.begin(), holding.end(), random);
      const int keep = static_cast<int>(between(random, 1, 3));
      const Names gone = prune(holding, listing, keep);
      const Chain chain = chain_of(listing, holding);
      if (chain.complete) whole = chain;
      const std::vector<Held> left = without(holding, gone);
      CAPTURE(today);
      CAPTURE(keep);

      CHECK(left.size() + gone.size() == holding.size());
      for (const Listed& file : listing) CHECK_FALSE(is_in(file.name, gone));
      for (const Held& file : chain.files) CHECK_FALSE(is_in(file.name, gone));
      if (chain.complete) {
        for (const Held& file : whole.files) CHECK_FALSE(is_in(file.name, gone));
      }
      CHECK(chain_of(listing, left).files == chain.files);
      CHECK(prune(left, listing, keep).empty());
      const auto bulks = [](const std::vector<Held>& files) {
        return std::ranges::count(files, Kind::bulk, &Held::kind);
      };
      CHECK(bulks(left) >= std::min<std::ptrdiff_t>(keep, bulks(holding)));
      if (chance(random, 50)) holding = left;
    }
  }
}
