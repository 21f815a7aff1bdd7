#include "vtmirror/core/space.hpp"

#include <doctest/doctest.h>

#include <vector>

using namespace vtmirror::core;

TEST_CASE("a file takes of the free space what is not allocated for it, and never the reserve") {
  struct Row {
    const char* what;
    std::int64_t free;
    std::int64_t reserve;
    std::int64_t size;
    std::int64_t allocated;
    Fit fit;
  };
  const std::vector<Row> rows{
      {"a new file with just enough room", 100, 40, 60, 0, {true, 60, 60}},
      {"a byte too few", 99, 40, 60, 0, {false, 60, 59}},
      {"half of it is allocated", 70, 40, 60, 30, {true, 30, 30}},
      {"all of it is allocated", 40, 40, 60, 60, {true, 0, 0}},
      {"all of it is allocated, and others use the reserve", 10, 40, 60, 60, {true, 0, -30}},
      {"more is allocated than it needs", 0, 40, 60, 64, {true, 0, -40}},
      {"the disk is full", 0, 40, 60, 0, {false, 60, -40}},
      {"an empty file", 0, 0, 0, 0, {true, 0, 0}},
  };
  for (const auto& row : rows) {
    CAPTURE(std::string(row.what));
    CHECK(Space(row.free, row.reserve).claim(row.size, row.allocated) == row.fit);
  }
}

TEST_CASE("what one file takes is gone for the next one, and a file that does not fit takes nothing") {
  Space space(100, 10);
  CHECK(space.claim(50, 0) == Fit{true, 50, 90});
  CHECK(space.claim(50, 0) == Fit{false, 50, 40});
  CHECK(space.claim(40, 0) == Fit{true, 40, 40});
  CHECK(space.claim(1, 0) == Fit{false, 1, 0});
  space.add(7);
  CHECK(space.claim(7, 0) == Fit{true, 7, 7});
}

TEST_CASE("a lower reserve is said to help only where the file would fit without it") {
  const auto helps = [](std::int64_t free, std::int64_t reserve, std::int64_t size) {
    return is_due_to_reserve(no_room(Space(free, reserve).claim(size, 0), reserve));
  };
  CHECK(helps(60, 10, 60));
  CHECK(helps(60, 100, 60));
  CHECK_FALSE(helps(59, 10, 60));
  CHECK_FALSE(helps(59, 100, 60));
  CHECK_FALSE(helps(0, 100, 60));
  CHECK_FALSE(is_due_to_reserve({.code = vtmirror::base::Errc::no_space, .detail = "cannot write: full"}));
}

TEST_CASE("a file falls short by what it needs beyond what is left for it") {
  CHECK(shortfall(60, 39) == 21);
  CHECK(shortfall(60, -40) == 100);
  CHECK(shortfall(60, 60) == 0);
}
