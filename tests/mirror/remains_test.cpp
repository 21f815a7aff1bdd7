#include "mirror/manifest.hpp"

#include <doctest/doctest.h>

namespace vtmirror::mirror {
namespace {

const std::string digest(64, 'a');
base::Date day(const char* text) { return base::parse_date(text).value(); }

ports::Manifest manifest() {
  ports::Manifest manifest;
  manifest.edition = {"a session", 42, base::parse_time("2026-11-18T08:07:12Z").value()};
  manifest.chain.files = {{core::Kind::bulk, "v1/b.zip", day("2026-11-15"), 7, digest, 40},
                          {core::Kind::delta, "v1/d.zip", day("2026-11-15"), 8, "", 41}};
  manifest.chain.absent_upstream = {day("2026-11-16")};
  manifest.chain.unaccounted = {day("2026-11-18"), day("2026-11-19")};
  return manifest;
}

TEST_CASE("a manifest and its sums are read as they were written") {
  ports::Remains remains;
  read_manifest(manifest_text(manifest()), remains);
  CHECK(remains.generation == 42);
  CHECK(remains.session == "a session");
  CHECK(remains.published_at == manifest().edition.at);
  CHECK(remains.chain == manifest().chain.files);
  CHECK(remains.absent_upstream == manifest().chain.absent_upstream);
  CHECK(remains.unaccounted == manifest().chain.unaccounted);
  read_sums(sums_text(manifest().chain.files), remains);
  REQUIRE(remains.sums.size() == 1);
  CHECK(remains.sums[0] == std::pair<std::string, std::string>("v1/b.zip", digest));
}

TEST_CASE("the days on whose absence a manifest rests, and what is missing from it, are read as they were written") {
  auto written = manifest();
  written.chain.continues = core::Continues{.after = "v1/o.zip", .generation = 38, .contiguous = true};
  written.chain.continues->reason = "absent";
  written.chain.continues->assumes_absent = {day("2026-11-14"), day("2026-11-16")};
  written.chain.missing = {
      {core::Kind::delta, "v1/m.zip", day("2026-11-17"), core::MissingReason::quarantined, {.detail = "cut"}},
      {core::Kind::bulk, "bulk[1]", std::nullopt, core::MissingReason::refused}};
  written.details = {"cut", ""};
  written.chain.complete = true;
  ports::Remains remains;
  read_manifest(manifest_text(written), remains);
  CHECK(remains.absent_upstream == written.chain.absent_upstream);
  CHECK(remains.continues == written.chain.continues);
  CHECK(remains.missing == written.chain.missing);
  CHECK(remains.complete);
}

TEST_CASE("whether the chains join, and what broke it, is read as it was written") {
  for (const std::string_view reason : {"held", "absent", "gap", "refused", "replaced", "lost"}) {
    CAPTURE(reason);
    auto written = manifest();
    written.chain.continues = core::Continues{.after = "v1/o.zip", .sha256 = digest, .generation = 38};
    written.chain.continues->contiguous = reason == "held" || reason == "absent";
    written.chain.continues->reason = reason;
    ports::Remains remains;
    read_manifest(manifest_text(written), remains);
    CHECK(remains.continues == written.chain.continues);
  }
}

TEST_CASE("a manifest of schema 1 is read too: it has no session, and no generation for each file") {
  ports::Remains remains;
  read_manifest(R"({"schema": 1, "generation": 9, "published_at": "2026-11-18T08:07:12Z",
                    "chain": [{"kind": "bulk", "name": "v1/b.zip", "date": "2026-11-15", "size": 7}],
                    "complete": true, "through": "2026-11-15", "missing": ["v1/m.zip"],
                    "absent_upstream": ["2026-11-16", "2026-11-17"],
                    "continues": {"after": "v1/o.zip", "contiguous": true}})",
                remains);
  CHECK(remains.session.empty());
  CHECK(remains.generation == 9);
  CHECK(remains.chain == std::vector<core::Held>{{core::Kind::bulk, "v1/b.zip", day("2026-11-15"), 7, "", 0}});
  CHECK(remains.absent_upstream == std::vector{day("2026-11-16"), day("2026-11-17")});
  CHECK_FALSE(remains.continues);
}

TEST_CASE("damaged entries and those that lead elsewhere are left out, and the others are used") {
  ports::Remains remains;
  for (const auto* text : {"", "[]", "{", "nul", R"({"generation": "9", "chain": 7, "absent_upstream": [1, "x"]})"})
    read_manifest(text, remains);
  CHECK(remains.generation == 0);
  CHECK(remains.chain.empty());
  CHECK(remains.absent_upstream.empty());
  read_manifest(R"({"generation": 9, "chain": [1, {}, {"name": "../../etc/passwd", "date": "2026-11-15"},
                    {"kind": "delta", "name": "v1/d.zip", "date": "2026-11-15", "size": 1, "sha256": "short"}]})",
                remains);
  CHECK(remains.generation == 9);
  REQUIRE(remains.chain.size() == 1);
  CHECK(remains.chain[0].sha256.empty());
  read_sums(digest + "  ../x\n" + digest + " *y\nshort\n" + digest + "  \n" + digest + "  v1/last.zip", remains);
  REQUIRE(remains.sums.size() == 1);
  CHECK(remains.sums[0].first == "v1/last.zip");
}

}  // namespace
}  // namespace vtmirror::mirror
