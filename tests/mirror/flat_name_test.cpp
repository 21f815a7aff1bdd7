#include "mirror/place.hpp"

#include "mirror/stored.hpp"

#include <doctest/doctest.h>

#include <random>
#include <set>

using vtmirror::mirror::flat_name;
using vtmirror::mirror::listed_name;

namespace {

/// Names of the characters that matter, long ones among them.
std::string some_name(std::mt19937_64& dice) {
  static constexpr std::string_view letters = "aa%%25FE.//~";
  const std::size_t length = 1 + dice() % (dice() % 8 == 0 ? 1024 : 12);
  std::string name;
  while (name.size() < length) name += letters[dice() % letters.size()];
  return dice() % 4 == 0 ? name + ".reason.txt" : name;
}

}  // namespace

TEST_CASE("an unfinished file's name on disk can be read by people") {
  CHECK(flat_name("v1/public/delta/a_16-11-2026.zip") == "v1%2Fpublic%2Fdelta%2Fa_16-11-2026.zip");
  CHECK(flat_name("50%.zip") == "50%25.zip");
}

TEST_CASE("every name can be read back from its flat form, and no two share one") {
  std::mt19937_64 dice(20261118);
  std::set<std::string> names;
  std::set<std::string> flats;
  for (int i = 0; i < 20000; ++i) {
    const std::string name = some_name(dice);
    const std::string flat = flat_name(name);
    CAPTURE(name);
    REQUIRE(listed_name(flat) == name);
    names.insert(name);
    flats.insert(flat);
  }
  CHECK(names.size() == flats.size());
}

TEST_CASE("a flat name fits into directory entries, with room for its reason, which it is never taken for") {
  for (const auto& name : {std::string(1024, 'a'), std::string(1024, '%'), std::string(512, '/') + ".reason.txt"}) {
    const std::string flat = flat_name(name);
    CHECK_FALSE(flat.ends_with(vtmirror::mirror::reason_suffix));
    for (const auto& part : std::filesystem::path(flat)) CHECK(part.string().size() <= 201);
  }
}

TEST_CASE("files that nobody listed are not taken for unfinished ones") {
  for (const auto* flat : {"", "%", "a%2", "a%2f", "a%41", "a%/b", "a.reason.txt", ".reason.txt"})
    CHECK_FALSE(listed_name(flat).has_value());
}
