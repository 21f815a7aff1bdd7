#include "simulator/archive.hpp"

#include "simulator/random.hpp"
#include "simulator/zip_reader.hpp"
#include "support/every.hpp"

#include <doctest/doctest.h>
#include <boost/json/parse.hpp>

#include <algorithm>
#include <set>
#include <sstream>

namespace vtmirror::simulator {
namespace {

Archive archive(std::uint64_t bytes, Deflated deflated = Deflated::some) {
  return Archive::build({.name = "delta-light-vehicle_16-11-2026.zip", .bytes = bytes, .deflated = deflated});
}

std::string part(const Archive& whole, std::uint64_t offset, std::size_t size) {
  std::string bytes(size, '\0');
  whole.read(offset, bytes);
  return bytes;
}

TEST_CASE("an archive has exactly the size that was asked for, and is a sound ZIP, whatever the size") {
  Random random(7);
  std::set<std::uint64_t> sizes{199, 200, 241, 1'000, 65'536, 131'071, 131'072, 131'073, 262'144, 300'000};
  while (sizes.size() < 18) sizes.insert(199 + random.below(400'000));
  for (const std::uint64_t size : sizes) {
    for (const auto& deflated : test::every<Deflated>()) {
      INFO(size);
      const std::string bytes = bytes_of(archive(size, deflated.value));
      CHECK(bytes.size() == size);
      REQUIRE_NOTHROW(read_zip(bytes));
    }
  }
}

TEST_CASE("a size too small for a ZIP is raised, and the predicted size is the one built") {
  for (const std::uint64_t size : {0U, 1U, 198U, 199U, 5'000U}) CHECK(Archive::size_of(size) == archive(size).size());
  REQUIRE_NOTHROW(read_zip(bytes_of(archive(0))));
}

TEST_CASE("every member is a gzip file of JSON lines") {
  std::size_t lines = 0;
  for (const ReadMember& member : read_zip(bytes_of(archive(900'000)))) {
    CHECK(member.name.ends_with(".json.gz"));
    std::istringstream text(gunzip(member.plain));
    for (std::string line; std::getline(text, line); ++lines) REQUIRE(boost::json::parse(line).is_object());
  }
  CHECK(lines > 1'000);
}

TEST_CASE("stored and deflated members come as the recipe says") {
  const auto deflated = [](Deflated which) {
    const auto members = read_zip(bytes_of(archive(1'200'000, which)));
    REQUIRE(members.size() == 8);
    return std::count_if(members.begin(), members.end(), [](const ReadMember& each) { return each.method == 8; });
  };
  CHECK(deflated(Deflated::none) == 0);
  CHECK(deflated(Deflated::some) == 2);
  CHECK(deflated(Deflated::all) == 7);
}

TEST_CASE("the same recipe gives the same bytes, and every part of it matters") {
  const Recipe recipe{.name = "a.zip", .seed = 1, .version = 1, .bytes = 150'000};
  const std::string bytes = bytes_of(Archive::build(recipe));
  CHECK(bytes == bytes_of(Archive::build(recipe)));
  for (const auto change :
       {+[](Recipe& r) { r.name = "b.zip"; }, +[](Recipe& r) { r.seed = 2; }, +[](Recipe& r) { r.version = 2; }}) {
    Recipe other = recipe;
    change(other);
    CHECK(bytes != bytes_of(Archive::build(other)));
  }
}

TEST_CASE("any stretch reads as it stands in the whole") {
  const Archive whole = archive(700'000);
  const std::string bytes = bytes_of(whole);
  CHECK(bytes == bytes_of(whole, 4'093));
  Random random(11);
  for (int i = 0; i < 300; ++i) {
    const std::size_t offset = random.below(bytes.size());
    const std::size_t size = random.below(std::min<std::size_t>(bytes.size() - offset, 200'000) + 1);
    REQUIRE(part(whole, offset, size) == bytes.substr(offset, size));
  }
}

TEST_CASE("no two blocks of a file are alike, so that bytes put at a wrong offset show") {
  const std::string bytes = bytes_of(archive(3'000'000, Deflated::none));
  std::set<std::string> seen;
  for (std::size_t at = 0; at + Archive::block_size <= bytes.size(); at += Archive::block_size) {
    CHECK(seen.insert(bytes.substr(at, Archive::block_size)).second);
  }
}

TEST_CASE("a file of 40 GB is in ZIP64 form, has its size and needs no memory") {
  constexpr std::uint64_t size = 40'000'000'000;
  const Archive giant = archive(size);
  REQUIRE(giant.size() == size);
  const std::string end = part(giant, size - 98, 98);
  CHECK(end.substr(0, 4) == "PK\x06\x06");
  CHECK(end.substr(56, 4) == "PK\x06\x07");
  CHECK(end.substr(76, 4) == "PK\x05\x06");
  CHECK(part(giant, 0, 4) == "PK\x03\x04");
  CHECK(part(giant, size / 2, 1'000) == part(giant, size / 2 - 500, 1'500).substr(500));
}

}  // namespace
}  // namespace vtmirror::simulator
