#include "simulator/request.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

namespace vtmirror::simulator {
namespace {

using Which = Stretch::Which;

TEST_CASE("a range is answered with the bytes that are there, and never with more") {
  struct Case {
    const char* range;
    Which which;
    std::uint64_t first;
    std::uint64_t length;
  };
  const Case cases[] = {
      {"bytes=0-0", Which::part, 0, 1},
      {"bytes=0-99", Which::part, 0, 100},
      {"bytes=0-100", Which::part, 0, 100},
      {"bytes=10-", Which::part, 10, 90},
      {"bytes=99-", Which::part, 99, 1},
      {"bytes=-1", Which::part, 99, 1},
      {"bytes=-1000", Which::part, 0, 100},
      {"bytes=100-", Which::unsatisfiable, 0, 0},
      {"bytes=100-200", Which::unsatisfiable, 0, 0},
      {"bytes=-0", Which::unsatisfiable, 0, 0},
      {"bytes=5-4", Which::whole, 0, 100},
      {"bytes=0-1,3-4", Which::whole, 0, 100},
      {"bytes=a-b", Which::whole, 0, 100},
      {"bytes=", Which::whole, 0, 100},
      {"bytes=-", Which::whole, 0, 100},
      {"lines=0-1", Which::whole, 0, 100},
      {"bytes=0-99999999999999999999", Which::whole, 0, 100},
  };
  for (const Case& c : cases) {
    INFO(c.range);
    CHECK(stretch_of(c.range, 100) == Stretch{c.which, c.first, c.length});
  }
  CHECK(stretch_of(std::nullopt, 100) == Stretch{Which::whole, 0, 100});
}

TEST_CASE("an empty object satisfies no range") {
  CHECK(stretch_of("bytes=0-", 0).which == Which::unsatisfiable);
  CHECK(stretch_of("bytes=-5", 0).which == Which::unsatisfiable);
}

TEST_CASE("for every first and last byte, the requested range is sent, cut at the object's end") {
  constexpr std::uint64_t size = 13;
  for (std::uint64_t first = 0; first < size + 3; ++first) {
    for (std::uint64_t last = first; last < size + 5; ++last) {
      const Stretch got = stretch_of("bytes=" + std::to_string(first) + "-" + std::to_string(last), size);
      CHECK((got.which == Which::part) == (first < size));
      if (got.which != Which::part) continue;
      CHECK(got.first == first);
      CHECK(got.first + got.length == std::min(last + 1, size));
    }
  }
}

TEST_CASE("the header of an answer names first byte, last byte and total") {
  CHECK(content_range({Which::part, 10, 90}, 100) == "bytes 10-99/100");
}

}  // namespace
}  // namespace vtmirror::simulator
