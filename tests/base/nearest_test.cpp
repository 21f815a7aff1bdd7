#include "vtmirror/base/text.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <random>
#include <string>

using vtmirror::base::nearest;

namespace {

constexpr std::array<std::string_view, 6> keys{"base_url", "token_url", "scope", "parallel_files", "connections", "at"};

std::string random_word(std::mt19937& random, std::string_view letters, std::size_t longest) {
  std::string word;
  for (std::size_t left = random() % (longest + 1); left > 0; --left) word += letters[random() % letters.size()];
  return word;
}

}  // namespace

TEST_CASE("a mistyped word finds its nearest neighbour") {
  CHECK(nearest("base_ulr", keys) == "base_url");
  CHECK(nearest("baseurl", keys) == "base_url");
  CHECK(nearest("socpe", keys) == "scope");
  CHECK(nearest("Scope", keys) == "scope");
  CHECK(nearest("scopes", keys) == "scope");
  CHECK(nearest("conections", keys) == "connections");
  CHECK(nearest("paralell_file", keys) == "parallel_files");
  CHECK(nearest("at", keys) == "at");
}

TEST_CASE("a word that is near to nothing finds nothing") {
  CHECK(nearest("", keys).empty());
  CHECK(nearest("as", keys).empty());
  CHECK(nearest("colour", keys).empty());
  CHECK(nearest("url", keys).empty());
  CHECK(nearest(std::string(100'000, 'a'), keys).empty());
  CHECK(nearest("scope", {}).empty());
}

TEST_CASE("a word without one common letter is never near") {
  std::mt19937 random{3};
  for (int i = 0; i < 2'000; ++i) {
    const std::string word = random_word(random, "XYZ123", 20);
    CAPTURE(word);
    REQUIRE(nearest(word, keys).empty());
  }
}

TEST_CASE("every known word is the nearest to itself, and to itself with one letter more when it is long") {
  std::mt19937 random{5};
  for (const std::string_view key : keys) CHECK(nearest(key, keys) == key);
  for (int i = 0; i < 500; ++i) {
    std::string word{keys.at(random() % 5)};
    const std::string_view key =
        keys.at(static_cast<std::size_t>(std::find(keys.begin(), keys.end(), word) - keys.begin()));
    word.insert(random() % (word.size() + 1), 1, 'q');
    REQUIRE(nearest(word, keys) == key);
  }
}
