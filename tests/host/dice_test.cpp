#include "vtmirror/host/host.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cstddef>

namespace vtmirror::host {
namespace {

TEST_CASE("every roll lies in [0, 1), and all parts of it are met") {
  const auto dice = make_dice();
  std::array<int, 10> met{};
  for (int i = 0; i < 10'000; ++i) {
    const double roll = dice->roll();
    REQUIRE(roll >= 0.0);
    REQUIRE(roll < 1.0);
    ++met.at(static_cast<std::size_t>(roll * 10));
  }
  // 1,000 are expected in each part; a fair dice misses 800 once in more than 10^9 runs.
  for (const int count : met) CHECK(count > 800);
}

TEST_CASE("two dice roll differently, so that two clients do not call at once") {
  const auto one = make_dice();
  const auto other = make_dice();
  int same = 0;
  for (int i = 0; i < 10; ++i) same += one->roll() == other->roll() ? 1 : 0;
  CHECK(same == 0);
}

}  // namespace
}  // namespace vtmirror::host
