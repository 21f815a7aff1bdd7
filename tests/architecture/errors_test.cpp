#include "architecture/source_tree.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <regex>
#include <sstream>

namespace vtmirror::architecture {
namespace {

/// Where words that look like an error's are compared for another reason. Every file of it has to need it.
struct Exception {
  std::string file;
  std::string reason;
};
const std::vector<Exception> exceptions{};

/// What holds words for people: an error's detail, a problem's or event's message, a sentence, a cycle's error.
constexpr char words_of_error[] =
    R"((?:(?:\.|->)(?:detail|message\(\)|message|refusal)|\b(?:sentence|reason|words|message)\([^()]*\)))";

struct Statement {
  int line = 0;  ///< of its first line
  std::string text;
};

/// What stands between the lines that end with `;`, `{`, `}` or `:`, each on one line.
std::vector<Statement> statements(const std::string& text) {
  std::vector<Statement> found;
  std::istringstream lines(text);
  std::string line;
  bool is_open = false;
  for (int number = 1; std::getline(lines, line); ++number) {
    const auto first = line.find_first_not_of(' ');
    if (first == std::string::npos) continue;
    if (!is_open) found.push_back({number, ""});
    found.back().text += line.substr(first) + ' ';
    is_open = std::string_view(";{}:").find(line.back()) == std::string_view::npos;
  }
  return found;
}

std::vector<Finding> check_errors(const Source& file) {
  static const std::string words = words_of_error;
  static const std::regex searched(
      words + R"(\s*\.\s*(find|find_first_of|rfind|starts_with|ends_with|contains|compare|substr)\()");
  static const std::regex text_searched(R"((\.|->)error\s*\.\s*(find|rfind|starts_with|ends_with|contains|substr)\()");
  static const std::regex compared(words + R"(\s*[=!]=|[=!]=\s*[\w.>()*-]*)" + words);
  std::vector<Finding> found;
  for (const auto& [number, text] : statements(file.text))
    if (std::regex_search(text, searched) || std::regex_search(text, text_searched) ||
        std::regex_search(text, compared))
      found.push_back({file.path, number, "what decides is an error's code, never its words"});
  return found;
}

TEST_CASE("no error's words decide what follows") {
  std::vector<Finding> found;
  std::size_t excepted = 0;
  for (const auto& file : sources({"src", "include"}, {".cpp", ".hpp"})) {
    const auto of_file = check_errors(file);
    const bool is_excepted = std::ranges::any_of(exceptions, [&](const auto& each) { return each.file == file.path; });
    excepted += is_excepted && !of_file.empty();
    if (!is_excepted) add(found, of_file);
  }
  INFO(listed(found));
  CHECK(found.empty());
  CHECK(excepted == exceptions.size());
}

TEST_CASE("a look at an error's words is found, and their use in a sentence is not") {
  const auto findings = [](const std::string& line) { return check_errors({"x.cpp", line}).size(); };
  CHECK(findings("if (error.detail.starts_with(\"no_space\")) return;") == 1);
  CHECK(findings("const auto at = answer.error().message().find(\": \");") == 1);
  CHECK(findings("const bool known = delivery.error == error.message();") == 1);
  CHECK(findings("if (error.detail != before) return;") == 1);
  CHECK(findings("if (problem.message == status.last_cycle->error) continue;") == 1);
  CHECK(findings("const auto at = report::sentence(problem).find(\": \");") == 1);
  CHECK(findings("if (reason(cause) == before) return;") == 1);
  CHECK(findings("const auto end = cycle.error.find(\": \");") == 1);
  CHECK(findings(
            "const auto rest = line.size();\nconst auto at = answer.error()\n    .message()\n    .find(\": \");") == 1);
  CHECK(findings("if (problem.message ==\n    status.last_cycle.message())\n  return;") == 1);
  CHECK(findings("text += \": \" + error.detail;") == 0);
  CHECK(findings("if (error.code == base::Errc::no_space) return;") == 0);
}

}  // namespace
}  // namespace vtmirror::architecture
