#include "mirror/manifest.hpp"

#include <doctest/doctest.h>

namespace vtmirror::mirror {
namespace {

const std::string digest(64, 'a');
base::Date day(const char* text) { return base::parse_date(text).value(); }

ports::Manifest manifest() {
  ports::Manifest manifest;
  manifest.generation = 42;
  manifest.published_at = base::parse_time("2026-11-18T08:07:12Z").value();
  manifest.chain.files = {{core::Kind::bulk, "v1/b.zip", day("2026-11-15"), 7, digest},
                          {core::Kind::delta, "v1/d.zip", day("2026-11-15"), 8, ""}};
  manifest.chain.absent_upstream = {day("2026-11-16")};
  return manifest;
}

TEST_CASE("a manifest and its sums are read as they were written") {
  ports::Remains remains;
  read_manifest(manifest_text(manifest()), remains);
  CHECK(remains.generation == 42);
  CHECK(remains.published_at == manifest().published_at);
  CHECK(remains.chain == manifest().chain.files);
  CHECK(remains.absent_upstream == manifest().chain.absent_upstream);
  read_sums(sums_text(manifest().chain.files), remains);
  REQUIRE(remains.sums.size() == 1);
  CHECK(remains.sums[0] == std::pair<std::string, std::string>("v1/b.zip", digest));
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
