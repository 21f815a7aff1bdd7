// Which members of a ZIP get into each other's way when they are unpacked, beside a model that unpacks them.
#include "mirror/zip_names.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <vector>

using namespace vtmirror;

namespace {

using Members = std::vector<mirror::ZipMember>;

Members members_of(const std::vector<std::string>& names) {
  Members members;
  for (const auto& name : names) {
    mirror::ZipMember member;
    member.name = name;
    member.size = name.ends_with('/') ? 0 : 1;
    members.push_back(member);
  }
  return members;
}

bool found_by_order(Members members) {
  std::sort(members.begin(), members.end(), mirror::lies_before);
  return std::adjacent_find(members.begin(), members.end(), [](const auto& a, const auto& b) {
           return !mirror::collision(a, b).empty();
         }) != members.end();
}

struct Passes {
  int count = 0;
  bool collided = false;
};

Passes passes_over(const Members& members) {
  mirror::PlaceHashes places(7);
  Passes passes;
  for (; !passes.collided && places.begin_pass(); ++passes.count) {
    for (const auto& member : members) places.add(member);
    passes.collided = places.collided();
  }
  return passes;
}

/// What lies where after all of them were unpacked.
struct Unpacked {
  std::map<std::vector<std::string>, bool> places;  ///< whether it is a directory
  bool collided = false, a_directory_twice = false;

  void put(const std::vector<std::string>& place, bool is_directory) {
    const auto [there, is_new] = places.emplace(place, is_directory);
    if (!is_new && !(there->second && is_directory)) collided = true;
  }
};

Unpacked unpacked(const Members& members) {
  Unpacked result;
  std::map<std::vector<std::string>, int> named;
  std::map<std::string_view, int> names;
  for (const auto& member : members) {
    std::vector<std::string> place;
    mirror::NameParts parts(member.name);
    for (auto part = parts.next(); !part.empty(); part = parts.next()) {
      result.put(place, true);
      place.emplace_back(part);
    }
    const bool is_directory = member.name.ends_with('/');
    result.put(place, is_directory);
    if (++named[place] > 1 && is_directory) result.a_directory_twice = true;
    if (++names[member.name] > 1) result.collided = true;
  }
  return result;
}

}  // namespace

TEST_CASE("a name has the parts that lead somewhere") {
  const auto parts_of = [](std::string_view name) {
    std::vector<std::string> all;
    mirror::NameParts parts(name);
    for (auto part = parts.next(); !part.empty(); part = parts.next()) all.emplace_back(part);
    return all;
  };
  using Parts = std::vector<std::string>;
  CHECK(parts_of("a") == Parts{"a"});
  CHECK(parts_of("./a//b\\.c/./..d/") == Parts{"a", "b", ".c", "..d"});
  CHECK(parts_of("a/..") == Parts{"a", ".."});
  for (const auto* nothing : {"", ".", "./", "/./.\\"}) CHECK(parts_of(nothing).empty());
}

TEST_CASE("members that collide are found, in whatever order they are and however they are named") {
  std::mt19937_64 dice(11);
  const std::vector<std::string> pieces{"a", "b", "a-", ".", "/", "/", "\\", "a.b"};
  int collided = 0;
  constexpr int worlds = 20'000;
  for (int world = 0; world < worlds; ++world) {
    std::vector<std::string> names(1 + dice() % 5);
    for (auto& name : names)
      for (auto left = 1 + dice() % 6; left-- > 0;) name += pieces[dice() % pieces.size()];
    for (auto& name : names)
      if (name.ends_with('\\')) name += 'a';
    const auto members = members_of(names);
    const auto model = unpacked(members);
    INFO(world);
    REQUIRE(found_by_order(members) == model.collided);
    REQUIRE(passes_over(members).collided == (model.collided || model.a_directory_twice));
    collided += model.collided ? 1 : 0;
  }
  CHECK(collided > worlds / 10);
  CHECK(collided < worlds * 9 / 10);
}

TEST_CASE("very many members are compared in several passes, and each collision among them is found") {
  constexpr std::size_t count = 300'000;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < count; ++i) names.push_back("d" + std::to_string(i) + "/e/f.json");
  const auto sound = passes_over(members_of(names));
  CHECK_FALSE(sound.collided);
  CHECK(sound.count >= 3);
  CHECK(sound.count <= 6);
  for (const auto place : {std::size_t{0}, count / 3, count - 1}) {
    auto changed = names;
    changed[place] = "d" + std::to_string((place + 7) % count) + "/e";
    CHECK(passes_over(members_of(changed)).collided);
    changed[place] = "d" + std::to_string((place + 7) % count) + "/./e/f.json";
    CHECK(passes_over(members_of(changed)).collided);
  }
  // All in two directories, by turns: these are compared once.
  for (std::size_t i = 0; i < count; ++i) names[i] = (i % 2 == 0 ? "a/b/c/d/" : "a/b/c/e/") + std::to_string(i);
  CHECK(passes_over(members_of(names)).count <= 2);
}
