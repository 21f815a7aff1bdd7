#include "architecture/source_tree.hpp"
#include "architecture/tool.hpp"
#include "support/every.hpp"
#include "support/skip.hpp"
#include "vtmirror/core/notice.hpp"
#include "vtmirror/core/problem.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <regex>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace vtmirror::architecture {
namespace {

/// A line for each, as "schedule.at = "08:00"", in the order of the file.
using Settings = std::string;

/// Of the settings file, with the tables that it shows as comments.
Settings settings_of_the_file() {
  static const std::regex table(R"(^(?:# )?\[+([a-z]+)\]+$)");
  static const std::regex key(R"(^(?:# )?([a-z_]+) = (.+)$)");
  Settings all;
  std::string in;
  std::smatch found;
  std::istringstream lines(source("etc/vtmirror/vtmirror.toml").text);
  for (std::string line; std::getline(lines, line);) {
    if (std::regex_match(line, found, table))
      in = found[1];
    else if (std::regex_match(line, found, key))
      all += in + '.' + found.str(1) + " = " + found.str(2) + '\n';
  }
  return all;
}

std::string without_escapes(std::string text) {
  static const std::vector<std::pair<std::string, std::string>> escapes{{"\\(dq", "\""}, {"\\-", "-"}};
  for (const auto& escape : escapes) {
    for (auto at = text.find(escape.first); at != std::string::npos; at = text.find(escape.first, at)) {
      text.replace(at, escape.first.size(), escape.second);
    }
  }
  return text;
}

/// What the manual says of the settings.
struct ManualSettings {
  Settings all;
  std::vector<std::string> read_at_a_start;  ///< the keys of which it says that a change needs a restart
};

/// A setting is a tag `.TP` with ".B key = default" below a heading ".SS [table]".
ManualSettings settings_of_the_manual() {
  static const std::regex table(R"(^\.SS \[+([a-z]+)\]+$)");
  static const std::regex key(R"(^\.B ([a-z_]+) = (.+)$)");
  ManualSettings manual;
  std::string in, before, name;
  std::smatch found;
  std::istringstream lines(source("packaging/man/vtmirror.toml.5").text);
  for (std::string line; std::getline(lines, line); before = line) {
    if (std::regex_match(line, found, table)) {
      in = found[1];
    } else if (before == ".TP" && std::regex_match(line, found, key)) {
      name = in + '.' + found.str(1);
      manual.all += name + " = " + without_escapes(found[2]) + '\n';
    } else if (line == "A change needs a restart.") {
      manual.read_at_a_start.push_back(name);
    }
  }
  return manual;
}

TEST_CASE("the manual shows every setting at its default, in the file's order, and none that is not there") {
  const auto file = settings_of_the_file();
  CHECK(std::count(file.begin(), file.end(), '\n') > 40);
  CHECK(settings_of_the_manual().all == file);
}

/// The keys of which the settings' table says that only a start reads them.
std::vector<std::string> keys_read_at_a_start_by_the_table() {
  static const std::regex row("K\\{\"([a-z]+)\", \"([a-z_]+)\",[^{}]*?Read::(at_[a-z]+)");
  const auto text = source("src/settings/keys.cpp").text;
  std::vector<std::string> keys;
  for (std::sregex_iterator at(text.begin(), text.end(), row), end; at != end; ++at)
    if (at->str(3) == "at_start") keys.push_back(at->str(1) + '.' + at->str(2));
  return keys;
}

TEST_CASE("the manual says of each key that only a start reads that a change needs a restart") {
  CHECK(keys_read_at_a_start_by_the_table().size() > 5);
  CHECK(settings_of_the_manual().read_at_a_start == keys_read_at_a_start_by_the_table());
}

/// The words that `pattern` finds in a text, as one line in their alphabet.
std::string sorted_words(const std::string& text, const std::regex& pattern) {
  std::vector<std::string> words;
  for (std::sregex_iterator at(text.begin(), text.end(), pattern), end; at != end; ++at) words.push_back(at->str(1));
  std::sort(words.begin(), words.end());
  std::string line;
  for (const auto& word : words) line += word + ' ';
  return line;
}

/// The names of the problems, as one line in their alphabet; of those alone that are reported when they begin, if
/// asked.
std::string problems(bool announced) {
  std::vector<std::string> words;
  for (const auto& code : test::every<core::ProblemCode>())
    if (!announced || core::kind_of(code.value).is_announced) words.emplace_back(code.word);
  std::sort(words.begin(), words.end());
  std::string line;
  for (const auto& word : words) line += word + ' ';
  return line;
}

TEST_CASE("the manual explains every problem, below its own heading") {
  const auto manual = source("packaging/man/vtmirror.8").text;
  const auto begin = manual.find(".SH PROBLEMS"), end = manual.find("\n.SH", begin + 1);
  REQUIRE(end != std::string::npos);
  const auto logged = sorted_words(manual.substr(begin, end - begin), std::regex(R"(\.TP\n\.B ([a-z_]+)\n)"));
  CHECK(logged == problems(false));
}

TEST_CASE("the journal's catalogue explains every problem that begins") {
  const auto catalogue = source("systemd/vtmirror.catalog").text;
  const auto entry = catalogue.find("# problem_began\n"), next = catalogue.find("\n# ", entry + 1);
  REQUIRE(next != std::string::npos);
  CHECK(sorted_words(catalogue.substr(entry, next - entry), std::regex(R"(\n  ([a-z_]+)  )")) == problems(true));
}

/// The words of the `enum` below the member `name` that follows `place`.
std::string allowed(const std::string& schema, const std::string& place, const std::string& name) {
  const auto member = schema.find("\"" + name + "\": {", schema.find(place));
  const auto begin = schema.find("\"enum\": [", member), end = schema.find(']', begin);
  return sorted_words(schema.substr(begin + 8, end - begin - 8), std::regex(R"re("([a-z_]+)")re"));
}

TEST_CASE("the schemas allow every problem and every error's code, and no other") {
  std::vector<std::string> words;
  for (const auto& code : test::every<base::Errc>()) words.emplace_back(code.word);
  std::sort(words.begin(), words.end());
  std::string errors;
  for (const auto& word : words) errors += word + ' ';
  const auto status = source("packaging/schema/status.schema.json").text;
  const auto event = source("packaging/schema/event-cycle.schema.json").text;
  CHECK(allowed(status, "\"problems\": {", "code") == problems(false));
  for (const auto& schema : {status, event}) {
    CHECK(allowed(schema, "\"error\": {", "problem") == problems(false));
    CHECK(allowed(schema, "\"error\": {", "code") == errors);
  }
}

/// In the order of `core::topic_names`, of which only `test` cannot be subscribed to.
std::string topics(bool with_test) {
  std::string line;
  for (const auto& topic : test::every<core::Topic>())
    if (with_test || topic.value != core::Topic::test) line += std::string(topic.word) + ' ';
  return line;
}

/// What `pattern` finds between two places of a text, as it stands there.
std::string words_between(const std::string& text, const std::string& from, const std::string& to,
                          const std::regex& pattern) {
  const auto begin = text.find(from), end = text.find(to, begin + from.size());
  REQUIRE(end != std::string::npos);
  const auto part = text.substr(begin + from.size(), end - begin - from.size());
  std::string line;
  for (std::sregex_iterator at(part.begin(), part.end(), pattern), last; at != last; ++at) line += at->str(1) + ' ';
  return line;
}

TEST_CASE("settings, manual and the schema of a notice know every topic, and no other") {
  std::string names;
  for (const auto name : core::topic_names) names += std::string(name) + ' ';
  CHECK(names == topics(true));
  CHECK(words_between(source("packaging/schema/notice.schema.json").text, "as in hook.on.", "]",
                      std::regex(R"re("([a-z]+)",?\n)re")) == topics(true));
  CHECK(words_between(source("packaging/man/vtmirror.toml.5").text, ".B on = ", ".TP",
                      std::regex(R"(\.B \\\(dq([a-z]+)\\\(dq)")) == topics(false));
  CHECK(words_between(source("packaging/man/vtmirror.8").text, "kinds of event:\n", ".SS",
                      std::regex(R"(\.TP\n\.B ([a-z]+)\n)")) == topics(false));
}

TEST_CASE("the formatter finds no fault in the manual's pages") {
  if (const auto why = test::absent("groff", "groff")) return test::skip(*why);
  for (const auto& page : sources({"packaging/man"}, {""})) {
    const auto ran = run("groff -t -man -ww -z -rCHECKSTYLE=3 -Tutf8 " + quoted_path(page.path));
    CAPTURE(page.path);
    CHECK_MESSAGE(ran.status == 0, ran.output);
    CHECK(ran.output == "");
  }
}

/// In columns, of which each character here takes one. The bytes that continue a character of UTF-8 take none.
std::size_t width(const std::string& line) {
  const auto begins_a_character = [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; };
  return static_cast<std::size_t>(std::ranges::count_if(line, begins_a_character));
}

TEST_CASE("no line of the manual's pages is longer than the 80 columns of a terminal, its examples included") {
  if (const auto why = test::absent("groff", "groff")) return test::skip(*why);
  for (const auto& page : sources({"packaging/man"}, {""})) {
    const auto ran = run("groff -t -man -rLL=80n -Tutf8 -P-c -P-b -P-u " + quoted_path(page.path));
    CAPTURE(page.path);
    REQUIRE(ran.status == 0);
    each_line({page.path, ran.output}, [&](const std::string& line, int) {
      CAPTURE(line);
      CHECK(width(line) <= 80);
    });
  }
}

TEST_CASE("no line of the paper for Debian is longer than the 80 columns of a terminal") {
  each_line(source("debian/vtmirror.README.Debian"), [](const std::string& line, int) {
    CAPTURE(line);
    CHECK(width(line) <= 80);
  });
}

TEST_CASE("each shell can read its completions") {
  const std::vector<std::pair<std::string, std::string>> shells{{"bash", "packaging/completions/vtmirror.bash"},
                                                                {"zsh", "packaging/completions/_vtmirror"},
                                                                {"fish", "packaging/completions/vtmirror.fish"}};
  for (const auto& shell : shells) {
    if (const auto why = test::absent(shell.first, shell.first)) {
      test::skip(*why);
      continue;
    }
    const auto ran = run(shell.first + " -n " + quoted_path(shell.second));
    CAPTURE(shell.second);
    CHECK_MESSAGE(ran.status == 0, ran.output);
    CHECK(ran.output == "");
  }
}

/// What bash offers for the last of `words`.
std::string offered(const std::string& words) {
  const auto ran = run("bash -c '. \"$0\"; compopt() { :; }; COMP_WORDS=(" + words +
                       "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _vtmirror; echo \"${COMPREPLY[*]}\"' " +
                       quoted_path("packaging/completions/vtmirror.bash"));
  CHECK_MESSAGE(ran.status == 0, ran.output);
  return ran.output;
}

TEST_CASE("bash offers what fits at that place of the command line") {
  if (const auto why = test::absent("bash", "bash")) return test::skip(*why);
  CHECK(offered("vtmirror s") == "sync status secret\n");
  CHECK(offered("vtmirror secret ro") == "rotate\n");
  CHECK(offered("vtmirror secret status --j") == "--json\n");
  CHECK(offered("vtmirror secret rotate --j") == "\n");
  CHECK(offered("vtmirror sync --d") == "--dry-run\n");
  CHECK(offered("vtmirror status --w") == "--watch\n");
  CHECK(offered("vtmirror files --w") == "\n");
  CHECK(offered("vtmirror --config /x config s") == "show\n");
  CHECK(offered("vtmirror --config = /x history --ne") == "--newest\n");
  CHECK(offered("vtmirror --color = a") == "auto always\n");
  CHECK(offered("vtmirror --log-level w") == "warning\n");
  CHECK(offered("vtmirror --config /etc/os-rel") == "/etc/os-release\n");
  CHECK(offered("vtmirror help con") == "consumers config\n");
  CHECK(offered("vtmirror help config c") == "check\n");
  CHECK(offered("vtmirror config check --o") == "--online\n");
  CHECK(offered("vtmirror config init --o") == "--output\n");
}

}  // namespace
}  // namespace vtmirror::architecture
