#include "mirror/manifest.hpp"

#include "mirror/stored.hpp"

#include <doctest/doctest.h>

using namespace vtmirror;
using namespace vtmirror::test;

TEST_CASE("the manifest reads as the manual shows it") {
  core::Chain chain;
  chain.files = {{core::Kind::bulk, "v1/b.zip", day(15), 37718225291, "aa"},
                 {core::Kind::delta, "v1/d.zip", day(16), 1, ""}};
  chain.complete = true;
  chain.through = day(16);
  chain.missing = {"v1/\"m\".zip"};
  chain.absent_upstream = {day(17), day(18)};
  chain.continues = core::Continues{.after = "v1/o.zip", .contiguous = true};
  const std::string text = mirror::manifest_text({.generation = 42, .published_at = at_eight(), .chain = chain});
  CHECK(text == R"({
  "schema": 1,
  "generation": 42,
  "published_at": "2026-11-18T08:00:00Z",
  "chain": [
    {"kind": "bulk", "name": "v1/b.zip", "date": "2026-11-15", "size": 37718225291, "sha256": "aa"},
    {"kind": "delta", "name": "v1/d.zip", "date": "2026-11-16", "size": 1}
  ],
  "complete": true,
  "through": "2026-11-16",
  "missing": [
    "v1/\"m\".zip"
  ],
  "absent_upstream": [
    "2026-11-17",
    "2026-11-18"
  ],
  "continues": {"after": "v1/o.zip", "contiguous": true}
}
)");
  CHECK(mirror::manifest_generation_of(text) == 42);
}

TEST_CASE("a manifest without a chain says so with empty values") {
  CHECK(mirror::manifest_text({.generation = 1, .published_at = at_eight(), .chain = {}}) == R"({
  "schema": 1,
  "generation": 1,
  "published_at": "2026-11-18T08:00:00Z",
  "chain": [],
  "complete": false,
  "through": null,
  "missing": [],
  "absent_upstream": [],
  "continues": null
}
)");
}

TEST_CASE("a manifest that is cut or foreign names no generation") {
  for (const auto* text : {"", "{", "[]", "{}", "{\"generation\": \"4\"}", "{\"generation\": 4", "null"})
    CHECK_FALSE(mirror::manifest_generation_of(text).has_value());
}

TEST_CASE("the sums are sorted by name and leave out files without a digest") {
  CHECK(mirror::sums_text(
            {{.name = "v1/b.zip", .sha256 = "bb"}, {.name = "v1/c.zip"}, {.name = "v1/a.zip", .sha256 = "aa"}}) ==
        "aa  v1/a.zip\nbb  v1/b.zip\n");
  CHECK(mirror::sums_text({{.name = "v1/c.zip"}}).empty());
}
