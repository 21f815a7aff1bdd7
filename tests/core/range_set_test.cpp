#include "vtmirror/core/pieces.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "support/upstream.hpp"

using namespace vtmirror::core;
using vtmirror::test::between;
using vtmirror::test::chance;
using vtmirror::test::Random;

namespace {

RangeSet set_of(std::vector<Range> ranges) { return RangeSet(ranges); }

/// Sorted, none empty, none touching the next.
bool is_tidy(const RangeSet& set) {
  const std::vector<Range>& ranges = set.ranges();
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    if (ranges[i].empty()) return false;
    if (i > 0 && ranges[i - 1].end >= ranges[i].begin) return false;
  }
  return true;
}

RangeSet naive(const std::vector<bool>& bytes) {
  RangeSet set;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (bytes[i]) set.add({static_cast<std::int64_t>(i), static_cast<std::int64_t>(i) + 1});
  }
  return set;
}

Range any_range(Random& random, std::int64_t total) {
  const std::int64_t a = between(random, 0, total);
  const std::int64_t b = between(random, 0, total);
  return {std::min(a, b), std::max(a, b)};
}

}  // namespace

TEST_CASE("ranges that touch become one range") {
  RangeSet set;
  set.add({0, 4});
  set.add({8, 12});
  CHECK(set.ranges().size() == 2);
  set.add({4, 8});
  CHECK(set == set_of({{0, 12}}));
  CHECK(set.size() == 12);
}

TEST_CASE("taking bytes out of the middle of a range leaves its two ends") {
  RangeSet set = set_of({{0, 10}});
  set.remove({3, 7});
  CHECK(set == set_of({{0, 3}, {7, 10}}));
  CHECK(set.gaps({2, 12}) == std::vector<Range>{{3, 7}, {10, 12}});
  CHECK(set.at_or_after(2) == Range{0, 3});
  CHECK(set.at_or_after(3) == Range{7, 10});
  CHECK_FALSE(set.at_or_after(10));
}

TEST_CASE("a set ends behind its last byte, and an empty one at 0") {
  RangeSet set;
  CHECK(set.end() == 0);
  set.add({10, 20});
  set.add({40, 50});
  CHECK(set.end() == 50);
}

TEST_CASE("an empty range neither adds nor removes and is contained everywhere") {
  RangeSet set = set_of({{0, 10}});
  set.add({20, 20});
  set.remove({5, 5});
  CHECK(set == set_of({{0, 10}}));
  CHECK(RangeSet().contains({3, 3}));
  CHECK_FALSE(RangeSet().contains({3, 4}));
}

TEST_CASE("a set of ranges says the same as a list of all its bytes, whatever is added and removed") {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    INFO("seed " << seed);
    Random random(seed);
    constexpr std::int64_t total = 40;
    RangeSet set;
    std::vector<bool> bytes(total, false);
    for (int step = 0; step < 80; ++step) {
      const Range range = any_range(random, total);
      const bool adds = chance(random, 50);
      if (adds)
        set.add(range);
      else
        set.remove(range);
      for (std::int64_t at = range.begin; at < range.end; ++at) bytes[static_cast<std::size_t>(at)] = adds;
      REQUIRE(is_tidy(set));
      REQUIRE(set == naive(bytes));
      REQUIRE(set.size() == std::count(bytes.begin(), bytes.end(), true));

      const Range asked = any_range(random, total);
      RangeSet others = set;
      for (const Range& gap : set.gaps(asked)) {
        CHECK_FALSE(gap.empty());
        CHECK(std::none_of(bytes.begin() + gap.begin, bytes.begin() + gap.end, [](bool in) { return in; }));
        others.add(gap);
      }
      CHECK(others.contains(asked));
      CHECK(set.contains(asked) == set.gaps(asked).empty());
    }
  }
}
