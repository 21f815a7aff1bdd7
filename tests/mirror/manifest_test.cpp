#include "mirror/manifest.hpp"

#include "mirror/stored.hpp"

#include <doctest/doctest.h>

using namespace vtmirror;
using namespace vtmirror::test;

TEST_CASE("the manifest reads as the manual shows it") {
  core::Chain chain;
  chain.files = {{core::Kind::bulk, "v1/b.zip", day(15), 37718225291, "aa", 40},
                 {core::Kind::delta, "v1/d.zip", day(16), 1, "", 41}};
  chain.complete = true;
  chain.through = day(16);
  chain.missing = {{core::Kind::delta, "v1/\"m\".zip", day(19), core::MissingReason::quarantined},
                   {core::Kind::delta, "delta[7]", std::nullopt, core::MissingReason::refused}};
  chain.absent_upstream = {day(17), day(18)};
  chain.unaccounted = {day(20)};
  chain.continues = core::Continues{.after = "v1/o.zip", .sha256 = "cc", .generation = 38, .contiguous = true};
  chain.continues->reason = "absent";
  chain.continues->assumes_absent = {day(13), day(14)};
  ports::Manifest manifest{.edition = {"a session", 42, at_eight()}, .chain = chain};
  manifest.details = {"a member is cut", ""};
  manifest.checked_at = at_eight() + std::chrono::minutes(1);
  manifest.next_check = at_eight() + std::chrono::hours(24);
  manifest.stale_after = at_eight() + std::chrono::hours(30);
  const std::string text = mirror::manifest_text(manifest);
  CHECK(text == R"({
  "schema": 2,
  "session": "a session",
  "generation": 42,
  "published_at": "2026-11-18T08:00:00Z",
  "checked_at": "2026-11-18T08:01:00Z",
  "next_check": "2026-11-19T08:00:00Z",
  "stale_after": "2026-11-19T14:00:00Z",
  "chain": [
    {"kind": "bulk", "name": "v1/b.zip", "date": "2026-11-15", "size": 37718225291, "sha256": "aa", "since": 40},
    {"kind": "delta", "name": "v1/d.zip", "date": "2026-11-16", "size": 1, "since": 41}
  ],
  "complete": true,
  "through": "2026-11-16",
  "missing": [
    {"kind": "delta", "name": "v1/\"m\".zip", "date": "2026-11-19", "reason": "quarantined", "detail": "a member is cut"},
    {"kind": "delta", "name": "delta[7]", "date": null, "reason": "refused"}
  ],
  "absent_upstream": [
    {"date": "2026-11-17"},
    {"date": "2026-11-18"}
  ],
  "unaccounted": [
    {"date": "2026-11-20"}
  ],
  "continues": {"after": "v1/o.zip", "sha256": "cc", "generation": 38, "contiguous": true, "reason": "absent", "assumes_absent": ["2026-11-13", "2026-11-14"]}
}
)");
  CHECK(mirror::manifest_generation_of(text) == 42);
}

TEST_CASE("the manifest of a mirror that published nothing has no time of publication") {
  const auto text = mirror::manifest_text({.edition = {"s", 0, {}}, .chain = {}});
  CHECK(text.find("\"generation\": 0,\n  \"published_at\": null,\n") != std::string::npos);
  ports::Remains remains;
  mirror::read_manifest(text, remains);
  CHECK(remains.published_at == base::Time());
}

TEST_CASE("a manifest without a chain says so with empty values") {
  CHECK(mirror::manifest_text({.edition = {"s", 1, at_eight()}, .chain = {}}) == R"({
  "schema": 2,
  "session": "s",
  "generation": 1,
  "published_at": "2026-11-18T08:00:00Z",
  "chain": [],
  "complete": false,
  "through": null,
  "missing": [],
  "absent_upstream": [],
  "unaccounted": [],
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
