#include "net/answer.hpp"

#include <doctest/doctest.h>

using vtmirror::core::Range;
using vtmirror::net::ContentRange;
using vtmirror::net::parse_content_range;

TEST_CASE("a Content-Range says which bytes follow, and of how many") {
  struct Row {
    const char* text;
    ContentRange meaning;
  };
  const Row rows[] = {
      {"bytes 0-99/1000", {Range{0, 100}, 1000}},
      {"Bytes 0-0/1", {Range{0, 1}, 1}},
      {"bytes 5-9/*", {Range{5, 10}, std::nullopt}},
      {"bytes */1000", {std::nullopt, 1000}},
      {"bytes */0", {std::nullopt, 0}},
      {"bytes 37718225000-37718225290/37718225291", {Range{37718225000, 37718225291}, 37718225291}},
      {"bytes 9223372036854775805-9223372036854775806/9223372036854775807",
       {Range{9223372036854775805, 9223372036854775807}, 9223372036854775807}},
  };
  for (const auto& row : rows) {
    CAPTURE(row.text);
    CHECK(parse_content_range(row.text) == row.meaning);
  }
}

TEST_CASE("a Content-Range that is not exactly one is nothing") {
  for (const char* text : {"",
                           "bytes",
                           "bytes ",
                           "bytes 0-99",
                           "0-99/100",
                           "bytes=0-99/100",
                           "items 0-9/10",
                           "bytes 9-0/10",
                           "bytes 0-10/10",
                           "bytes -5/10",
                           "bytes 5-/10",
                           "bytes 0-9/",
                           "bytes 0-9/10 ",
                           "bytes  0-9/10",
                           "bytes 0-9/10,11",
                           "bytes +0-9/10",
                           "bytes 0x0-9/10",
                           "bytes */*",
                           "bytes 0-9223372036854775807/*",
                           "bytes 0-9/99999999999999999999",
                           "bytes 0-9/-10",
                           "bytes 0-4,6-9/10",
                           "bytes 0 - 9/10"}) {
    CAPTURE(text);
    CHECK(!parse_content_range(text));
  }
}
