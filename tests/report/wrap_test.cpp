#include "vtmirror/report/table.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <sstream>
#include <string>

namespace vtmirror::report {
namespace {

const std::string end_of_init =
    "vtmirror: the settings are right; `vtmirror sync` downloads the files now, `vtmirror run` keeps them up to date\n";

std::size_t widest(const std::string& text) {
  std::istringstream lines(text);
  std::size_t widest = 0;
  for (std::string line; std::getline(lines, line);) widest = std::max(widest, columns_of(line));
  return widest;
}

TEST_CASE("a line that is too long is broken between words, and what follows is indented") {
  CHECK(wrapped("one two three\n", 7) == "one two\n    three\n");
  CHECK(wrapped(end_of_init, 80) ==
        "vtmirror: the settings are right; `vtmirror sync` downloads the files now,\n"
        "    `vtmirror run` keeps them up to date\n");
}

TEST_CASE("a command between backticks is broken only where it is longer than a line") {
  CHECK(wrapped("run it again: `sudo vtmirror sync`, please", 32) == "run it again:\n    `sudo vtmirror sync`, please");
  CHECK(wrapped("run `one two three four five` now", 12) == "run `one two\n    three\n    four\n    five`\n    now");
  CHECK(wrapped("a lone ` here and there", 10) == "a lone `\n    here\n    and\n    there");
}

TEST_CASE("lines that fit stay as they are, spaces and empty lines included") {
  const std::string text = "  ok  the  secret\n\nis right";
  CHECK(wrapped(text, 17) == text);
  CHECK(wrapped(end_of_init, 0) == end_of_init);
  CHECK(wrapped("  ok  localhost answers", 12) == "  ok\n      localhost\n      answers");
}

TEST_CASE("a line that begins behind a time and a level is broken there, and its other lines have the whole width") {
  CHECK(wrapped("one two three four", 14, 6) == "one two\n    three four");
  CHECK(wrapped("one two", 14, 6) == "one two");
  CHECK(wrapped("incomprehensible word", 14, 6) == "incomprehensible\n    word");
  CHECK(wrapped("one two\nthree four five", 15, 6) == "one two\nthree four five");
}

TEST_CASE("no line is wider than the terminal, and no word is lost") {
  for (std::size_t width = 20; width < 120; ++width) {
    auto text = wrapped(end_of_init, width);
    CHECK(widest(text) <= width);
    text.erase(std::remove_if(text.begin(), text.end(), [](char c) { return c == ' ' || c == '\n'; }), text.end());
    auto whole = end_of_init;
    whole.erase(std::remove_if(whole.begin(), whole.end(), [](char c) { return c == ' ' || c == '\n'; }), whole.end());
    CHECK(text == whole);
  }
}

}  // namespace
}  // namespace vtmirror::report
