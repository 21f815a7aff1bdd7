// Plain English (CONTRIBUTING.md, Language) as far as a search can hold it: phrases that are not used in the papers,
// nor in the comments and the strings of the program, nor in the comments of the tests and the names of their cases.
#include "architecture/prose.hpp"
#include "architecture/source_tree.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

namespace vtmirror::architecture {
namespace {

struct Phrase {
  std::regex pattern;
  std::string instead;
};

Phrase phrase(const std::string& pattern, const std::string& instead) {
  return {std::regex("\\b(?:" + pattern + ")\\b", std::regex::icase), instead};
}

const std::vector<Phrase>& not_used() {
  static const std::vector<Phrase> all{
      phrase("tell|tells|telling|told", "report, notify, log, send, say, show"),
      phrase("whoever|who loads|who asks|who reads", "if somebody ..., a program that ..., consumers"),
      phrase("(?:go|goes|gone|going) on (?:with|from|behind)", "continue, resume"),
      phrase("(?:let|lets|letting) go of", "remove, drop, release"),
      phrase("hand(?:s|ed|ing)? over", "pass"),
      phrase("(?:take|takes|took|taken) (?:it|them|the name|its name) over|taken over by|has taken over",
             "use, adopt, replace"),
      phrase("(?:is|are) to be (?:done|asked|told|fetched)", "no action needed; say who does what"),
      phrase("(?:bring|brings|brought|put|puts) (?:it |them )?in order", "repair, complete"),
      phrase("the cycle is (?:failed|complete|partial)", "the cycle failed, was complete, was partial"),
      phrase("(?:put|goes|go|went) (?:into|to) the quarantine", "is quarantined"),
      phrase("nothing of (?:it|them) is here|of (?:it|them) (?:is|are) here", "new; resuming at N"),
      phrase("(?:set|named|told|listed) no more|names? [a-z ]+ no more", "no longer; removed from the settings"),
      phrase("least level", "minimum level"),
      phrase("(?:be|is|not) (?:a text|texts)|(?:list|array|object) of texts", "a string, a list of strings"),
      phrase("what becomes true", "an event"),
      phrase("the ways in which", "how; the channels"),
      phrase("for want of", "for lack of, without"),
  };
  return all;
}

/// What an error is called inside the program, as it would stand before its detail. Names that are English words as
/// well are left out: sentences may have "catalogue: ", "config: " and "locked: ".
const Phrase& code_name() {
  static const Phrase codes{std::regex("\\b(?:cancelled|timed_out|unreachable|tls|http_status|protocol|unauthorised|"
                                       "forbidden|rate_limited|link_refused|empty_listing|changed_upstream|integrity|"
                                       "no_space|io|catalogue_busy|catalogue_damaged): "),
                            "say what failed, in words"};
  return codes;
}

void look_for(const Phrase& phrase, const Source& file, const Prose& prose, std::vector<Finding>& found) {
  for (std::sregex_iterator at(prose.text.begin(), prose.text.end(), phrase.pattern), end; at != end; ++at) {
    found.push_back({file.path, prose.line_of(static_cast<std::size_t>(at->position())),
                     "not \"" + at->str() + "\" but: " + phrase.instead});
  }
}

std::vector<Finding> check_words(const Source& file, const Prose& prose) {
  std::vector<Finding> found;
  for (const auto& each : not_used()) look_for(each, file, prose, found);
  return found;
}

/// The verb of a name says what is done as the sentences do: an event is logged, a channel is notified. Names of two
/// cases are seen, `log_end` and `LogEnd`; this file has the word as an example.
std::vector<Finding> check_identifiers(const Source& file) {
  static const std::regex name(
      "\\b(?:[A-Za-z0-9]+_)*(?:tell|tells|told|telling)(?:_[A-Za-z0-9]+)*_?\\b|"
      "\\b(?:Tell|Told|Telling)(?:[A-Z][A-Za-z0-9]*)?\\b");
  std::vector<Finding> found;
  auto line = 0;
  std::istringstream lines(file.text);
  for (std::string text; std::getline(lines, text);) {
    ++line;
    for (std::sregex_iterator at(text.begin(), text.end(), name), end; at != end; ++at)
      found.push_back({file.path, line, "not \"" + at->str() + "\" but: log, report, notify, send"});
  }
  return found;
}

std::vector<Finding> check_comments(const Source& file) { return check_words(file, prose_of_comments(file.text)); }

/// The strings of the program become sentences for people, the keys of JSON and the names of codes. Only a sentence has
/// a colon and a space after such a name.
std::vector<Finding> check_codes(const Source& file) {
  std::vector<Finding> found;
  look_for(code_name(), file, prose_of_literals(file.text), found);
  return found;
}

/// Searches the names of a test's cases, which ctest and doctest print.
std::vector<Finding> check_names(const Source& file) {
  std::vector<Finding> found;
  const std::string opening = "\nTEST_CASE(";
  for (auto at = file.text.find(opening); at != std::string::npos; at = file.text.find(opening, at + 1)) {
    const auto name = file.text.substr(at, file.text.find(") {", at) - at);
    const auto lines_before = std::count(file.text.begin(), file.text.begin() + static_cast<std::ptrdiff_t>(at), '\n');
    auto prose = prose_of_code(name);
    for (int& line : prose.lines) line += static_cast<int>(lines_before);
    add(found, check_words(file, prose));
  }
  return found;
}

/// Everything that people read outside of the program's own text.
std::vector<Source> papers() {
  std::vector<Source> all;
  for (const auto* name : {"README.md", "ARCHITECTURE.md", "CHANGELOG.md", "dev", ".ci/run"})
    all.push_back(source(name));
  // The section on language must name what is not used.
  auto contributing = source("CONTRIBUTING.md");
  const auto begin = contributing.text.find("\n## Language\n"), end = contributing.text.find("\n## ", begin + 1);
  REQUIRE(end != std::string::npos);
  const auto section = contributing.text.substr(begin, end - begin);
  contributing.text.replace(
      begin, end - begin,
      std::string(static_cast<std::size_t>(std::count(section.begin(), section.end(), '\n')), '\n'));
  all.push_back(contributing);
  for (const auto& file : sources({"packaging", "debian", "cmake", "etc", "systemd"}, {""})) all.push_back(file);
  return all;
}

std::vector<Source> program() { return sources({"src", "include"}, {".hpp", ".cpp", ".in"}); }

TEST_CASE("no paper has a phrase that this project does not use, or an error's internal name") {
  std::vector<Finding> found;
  for (const auto& file : papers()) {
    const auto prose = prose_of_paper(file.text);
    add(found, check_words(file, prose));
    look_for(code_name(), file, prose, found);
  }
  INFO(listed(found));
  CHECK(found.empty());
}

TEST_CASE("no comment and no string of the program has a phrase that this project does not use") {
  std::vector<Finding> found;
  const auto files = program();
  CHECK(files.size() > 100);
  for (const auto& file : files) add(found, check_words(file, prose_of_code(file.text)));
  INFO(listed(found));
  CHECK(found.empty());
}

TEST_CASE("no string of the program has an error's internal name before its detail") {
  std::vector<Finding> found;
  for (const auto& file : program()) add(found, check_codes(file));
  INFO(listed(found));
  CHECK(found.empty());
}

TEST_CASE("no comment of a test has a phrase that this project does not use") {
  std::vector<Finding> found;
  const auto files = sources({"tests"}, {".cpp", ".hpp"});
  CHECK(files.size() > 100);
  for (const auto& file : files) add(found, check_comments(file));
  INFO(listed(found));
  CHECK(found.empty());
}

TEST_CASE("no name of a test case has a phrase that this project does not use") {
  std::vector<Finding> found;
  for (const auto& file : sources({"tests"}, {".cpp"})) add(found, check_names(file));
  INFO(listed(found));
  CHECK(found.empty());
}

TEST_CASE("no name in the program or its tests has a verb that this project does not use") {
  std::vector<Finding> found;
  for (const auto& file : sources({"src", "include", "tests"}, {".cpp", ".hpp"}))
    if (file.path != "tests/architecture/words_test.cpp") add(found, check_identifiers(file));
  INFO(listed(found));
  CHECK(found.empty());
}

TEST_CASE("a verb that is not used is found in a name of either case, and not inside another word") {
  const auto findings = [](const std::string& text) { return listed(check_identifiers({"x.cpp", text})); };
  const auto one = [](const std::string& name) {
    return "x.cpp:2: not \"" + name + "\" but: log, report, notify, send\n";
  };
  for (const std::string name : {"tell", "told_", "is_told", "tell_end", "all_told_twice", "Telling", "ToldAnswers"})
    CHECK(findings("int a;\n" + name + "();\n") == one(name));
  CHECK(findings("intellect(); foretold = satellite + Tellurium;\n") == "");
}

TEST_CASE("a phrase is found in the name of a test case, and not in its code") {
  const Source test{"x.cpp", "\nTEST_CASE(\n    \"it is \"\n    \"told\") {\n  told(\"told\");\n}\n"};
  CHECK(listed(check_names(test)) == "x.cpp:4: not \"told\" but: report, notify, log, send, say, show\n");
}

TEST_CASE(
    "a phrase is found in every kind of comment of a test, and not in its strings, its code or what it includes") {
  const auto findings = [](const std::string& text) { return listed(check_comments({"x.cpp", text})); };
  const std::string told = "not \"told\" but: report, notify, log, send, say, show\n";
  CHECK(findings("int a;  // told\n") == "x.cpp:1: " + told);
  CHECK(findings("\n/// Is told.\nint a;\n") == "x.cpp:2: " + told);
  CHECK(findings("int a;  ///< told\n") == "x.cpp:1: " + told);
  CHECK(findings("/* is\n   told */ int a;\n") == "x.cpp:2: " + told);
  CHECK(findings("f(\"//\");  // It goes\n         // on with it.\n") ==
        "x.cpp:1: not \"goes on with\" but: continue, resume\n");
  CHECK(findings("#include \"support/output.hpp\"\nint told = tell(\"told // told\", 't');\n") == "");
  CHECK(findings("f(R\"(told /* told */)\", u8\"\\\" // told\");\n") == "");
  CHECK(findings("// It goes\nf(\"\");\n// on with it.\n") == "");
  CHECK(findings("// It goes\n\"\"\n// on with it.\n") == "");
}

TEST_CASE("an error's internal name is found in strings before a detail, and not in comments, keys or code") {
  const auto findings = [](const std::string& text) { return listed(check_codes({"x.cpp", text})); };
  CHECK(findings("f(\"http_status: 503\");\n") == "x.cpp:1: not \"http_status: \" but: say what failed, in words\n");
  CHECK(findings("f(\"it failed, no_space:\"  // why\n  \" 3 bytes\");\n") ==
        "x.cpp:1: not \"no_space: \" but: say what failed, in words\n");
  CHECK(findings("// \"io: \" and no more\nf(\"io\", {\"tls\", 1}, a ? integrity : \"b\");\n") == "");
  CHECK(findings("f(\"radio: on\");\n") == "");
}

TEST_CASE("a phrase is found across lines, in comments and in strings, and not in names") {
  const auto in_code = [](const std::string& text) {
    return listed(check_words({"x.cpp", text}, prose_of_code(text)));
  };
  const auto in_paper = [](const std::string& text) { return listed(check_words({"x", text}, prose_of_paper(text))); };
  CHECK(in_code("int told = tell(\"report\");  // logs it\n") == "");
  CHECK(in_code("// Comments may cite `tell`.\n") == "");
  CHECK(in_code("a;\n// It goes\n// on with the rest\nint go;\n") ==
        "x.cpp:2: not \"goes on with\" but: continue, resume\n");
  CHECK(in_code("f(\"is\" g \"told\", 't');\n") == "x.cpp:1: not \"told\" but: report, notify, log, send, say, show\n");
  CHECK(in_code("/* for */ int want; // of\n") == "");
  CHECK(in_code("x = \"nothing of\"\n    \" it is here\";\n") ==
        "x.cpp:1: not \"nothing of it is here\" but: new; resuming at N\n");
  CHECK(in_code("R\"(told)\" \"a \\\" b\";\n") == "x.cpp:1: not \"told\" but: report, notify, log, send, say, show\n");
  CHECK(in_paper("# Nothing is to\n# be done.\n") ==
        "x:1: not \"is to be done\" but: no action needed; say who does what\n");
  CHECK(in_paper("It is\n.B told\nhere.\n").starts_with("x:2: not \"told\""));
}

}  // namespace
}  // namespace vtmirror::architecture
