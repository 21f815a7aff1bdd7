#include <doctest/doctest.h>

#include <set>
#include <string_view>

#include "vtmirror/core/reconcile.hpp"

using namespace vtmirror::core;

TEST_CASE("every reason and every kind of action has a word of its own, and every reason a sentence") {
  std::set<std::string_view> words;
  std::set<std::string_view> sentences;
  constexpr int reasons = int(Reason::not_listed_any_more) + 1;
  for (int i = 0; i < reasons; ++i) {
    words.insert(name(Reason(i)));
    sentences.insert(sentence(Reason(i)));
  }
  CHECK(words.size() == reasons);
  CHECK(sentences.size() == reasons);
  CHECK_FALSE(words.contains("unknown"));
  std::set<std::string_view> kinds;
  for (int i = 0; i <= int(ActionKind::drop_partial); ++i) kinds.insert(name(ActionKind(i)));
  CHECK(kinds.size() == 8);
  CHECK(name(Reason::partly_fetched) == "partly_fetched");
  CHECK(name(ActionKind::fetch_again) == "fetch_again");
}
