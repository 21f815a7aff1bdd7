#include "cli/arguments.hpp"
#include "support/repository.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <variant>
#include <vector>

namespace vtmirror::cli {
namespace {

using Words = std::set<std::string>;

std::string file(const std::string& path) {
  std::ifstream in(test::repository() / path);
  REQUIRE_MESSAGE(in, path);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

Words words(const std::string& text, const std::regex& pattern) {
  Words all;
  for (std::sregex_iterator at(text.begin(), text.end(), pattern), end; at != end; ++at) all.insert((*at)[1]);
  return all;
}

std::string help(const std::vector<std::string>& about) {
  std::vector<const char*> arguments{"vtmirror", "help"};
  for (const auto& word : about) arguments.push_back(word.c_str());
  const auto outcome = parse_arguments(arguments, [](std::string_view) { return std::nullopt; });
  const auto* farewell = std::get_if<Farewell>(&outcome);
  REQUIRE(farewell != nullptr);
  REQUIRE(farewell->status == done);
  return farewell->text;
}

/// The first words of the lines that follow the options in a help.
Words commands(const std::string& text) {
  const auto at = text.find("\n\n", text.find("Options:\n"));
  if (at == std::string::npos) return {};
  static const std::regex row(R"((?:^|\n)  ([a-z]+) )");
  return words(text.substr(at), row);
}

/// "--json" and the like.
Words options(const std::string& text) {
  static const std::regex option(R"((--[a-z][a-z-]*))");
  return words(text, option);
}

/// What only one of them has; empty when they agree.
std::string differences(const Words& logged, const Words& there) {
  std::string text;
  for (const auto& word : there) text += logged.contains(word) ? "" : "lacks " + word + "; ";
  for (const auto& word : logged) text += there.contains(word) ? "" : "has " + word + ", which is not there; ";
  return text;
}

/// All that the program knows: of itself, and of each command.
Words all_options() {
  auto all = options(help({}));
  for (const auto& command : commands(help({}))) {
    all.merge(options(help({command})));
    for (const auto& inner : commands(help({command}))) all.merge(options(help({command, inner})));
  }
  return all;
}

std::string manual() {
  auto text = std::regex_replace(file("packaging/man/vtmirror.8"), std::regex(R"(\\-)"), "-");
  const auto begin = text.find(".SH COMMANDS"), end = text.find(".SH EXIT STATUS");
  REQUIRE(begin < end);
  return text.substr(begin, end - begin);
}

TEST_CASE("the manual describes every command of the program, and none that is not there") {
  static const std::regex tag(R"(\.TP\n\.BR? ([a-z]+))");
  const auto text = manual();
  CHECK(differences(words(text.substr(0, text.find(".SH OPTIONS")), tag), commands(help({}))) == "");
  for (const auto& inner : commands(help({"config"}))) {
    CHECK_MESSAGE(text.find(".BR config \" \" " + inner + '\n') != std::string::npos, inner);
  }
}

TEST_CASE("the manual names every option of the program, and none that is not there") {
  CHECK(differences(options(manual()), all_options()) == "");
}

TEST_CASE("the completions know every command and every option, and none that is not there") {
  const auto bash = file("packaging/completions/vtmirror.bash");
  const auto zsh = file("packaging/completions/_vtmirror");
  const auto fish = file("packaging/completions/vtmirror.fish");
  auto known = commands(help({}));
  known.merge(commands(help({"config"})));
  known.merge(commands(help({"secret"})));

  CHECK(differences(options(bash), all_options()) == "");
  CHECK(differences(options(zsh), all_options()) == "");
  Words long_options;
  for (const auto& name : words(fish, std::regex(R"(complete [^\n]* -l ([a-z-]+))"))) long_options.insert("--" + name);
  CHECK(differences(long_options, all_options()) == "");

  CHECK(differences(words(zsh, std::regex(R"(\n    '([a-z]+):)")), known) == "");
  for (const auto& command : known) {
    const std::regex word("\\b" + command + "\\b");
    CHECK_MESSAGE(std::regex_search(bash, word), command);
    CHECK_MESSAGE(std::regex_search(fish, word), command);
  }
}

}  // namespace
}  // namespace vtmirror::cli
