#include "architecture/source_tree.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <compare>
#include <cstddef>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace vtmirror::architecture {
namespace {

/// A function or a variable in whose hands the words only become shorter or
/// clearer for a reader: no other thing is done for what is found in them. Each
/// has to be needed.
struct Exception {
  std::string file;
  std::string name;
  std::string reason;
};
const std::vector<Exception> exceptions{
    {"src/notify/child.cpp", "assignment", "a variable of the environment ends at a zero byte"},
    {"src/report/sentence.cpp", "without", "the subject stands before the sentence, and is said once"},
    {"src/report/sentence.cpp", "about_no_subject", "a path that version 0.1.0 stored is shown by its short name"},
};

/// What holds words for people: an error's detail, a problem's or event's
/// message, a sentence, a cycle's error.
constexpr char words_of_error[] =
    R"((?:(?:\.|->)(?:detail|message\(\)|message|refusal)|\b(?:sentence|reason|words|message)\([^()]*\)))";

constexpr char searches[] = R"(find|find_first_of|rfind|starts_with|ends_with|contains|compare|substr)";

struct Statement {
  int line = 0;  ///< of its first line
  std::string text;
};

std::string without_comment(const std::string& line) {
  for (auto at = line.find("//"); at != std::string::npos; at = line.find("//", at + 1))
    if (std::ranges::count(line.begin(), line.begin() + static_cast<std::ptrdiff_t>(at), '"') % 2 == 0)
      return line.substr(0, line.substr(0, at).find_last_not_of(' ') + 1);
  return line;
}

/// What stands between the lines that end with `;`, `{`, `}` or `:`, each on
/// one line.
std::vector<Statement> statements(const std::string& text) {
  std::vector<Statement> found;
  std::istringstream lines(text);
  std::string line;
  bool is_open = false;
  for (int number = 1; std::getline(lines, line); ++number) {
    line = without_comment(line);
    const auto first = line.find_first_not_of(' ');
    if (first == std::string::npos) continue;
    if (!is_open) found.push_back({number, ""});
    found.back().text += line.substr(first) + ' ';
    is_open = std::string_view(";{}:").find(line.back()) == std::string_view::npos;
  }
  return found;
}

/// Whether that variable is looked into, or compared, in the statement.
bool looks_into(const std::string& text, const std::string& name) {
  if (text.find(name) == std::string::npos) return false;
  // There are many statements and few names, and a pattern takes long to make.
  static std::map<std::string, std::regex> known;
  auto looked = known.find(name);
  if (looked == known.end()) {
    const std::string own = "(?:^|[^\\w.>])" + name + "\\b";
    looked = known
                 .emplace(name, own + "\\s*\\.\\s*(?:" + searches + ")\\(|" + own + "\\s*[=!]=|[=!]=\\s*" + name +
                                    "\\b(?!\\s*[.(])")
                 .first;
  }
  return std::regex_search(text, looked->second);
}

/// Without what stands in literals, which has braces and brackets of its own.
std::string code_of(const std::string& text) {
  static const std::regex literal(R"x("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')x");
  return std::regex_replace(text, literal, "\"\"");
}

/// The parts between the commas that lie in no bracket, up to the bracket that
/// ends them all, where `at` is then.
std::vector<std::string> arguments_from(const std::string& text, std::size_t& at) {
  std::vector<std::string> found(1);
  for (int depth = 0; at < text.size(); ++at) {
    const char sign = text[at];
    if (depth == 0 && sign == ')') break;
    // A comparison has a space before its sign.
    const char before = at > 0 ? text[at - 1] : ' ';
    const bool is_bracket = sign != '<' && sign != '>' ? true : before != ' ' && before != '-';
    if (is_bracket && std::string_view("([{<").find(sign) != std::string_view::npos) ++depth;
    if (is_bracket && std::string_view(")]}>").find(sign) != std::string_view::npos) --depth;
    if (depth == 0 && sign == ',') {
      found.emplace_back();
      continue;
    }
    found.back() += sign;
  }
  return found;
}

/// Words of an error as they are, under another name from the second statement
/// on: a variable that begins with them.
class Names {
 public:
  /// Every variable that the statement looks into, of those that hold an
  /// error's words.
  std::vector<std::string> looked_into(const std::string& code) {
    static const std::regex given(R"(\b(?:auto|string|string_view)\b\s*&?\s*(\w+)\s*(?:=|\(|\{)\s*[\w.:>()*-]*)" +
                                  std::string(words_of_error) + R"(\s*[;)}])");
    std::vector<std::string> found;
    std::smatch match;
    if (std::regex_search(code, match, given)) names_.push_back({match.str(1), depth_});
    for (const auto& name : names_)
      if (looks_into(code, name.word)) found.push_back(name.word);
    for (const char sign : code) {
      depth_ += (sign == '{') - (sign == '}');
      if (sign == '}') std::erase_if(names_, [this](const Name& name) { return name.depth > depth_; });
    }
    return found;
  }

 private:
  struct Name {
    std::string word;
    int depth = 0;
  };
  std::vector<Name> names_;
  int depth_ = 0;
};

/// A function of the file that looks into a text that it is given.
struct Looker {
  std::string name;
  std::size_t parameter = 0;
  friend auto operator<=>(const Looker&, const Looker&) = default;
};

/// The name and the parameters of the function whose body begins in the
/// statement; none where none does.
std::pair<std::string, std::vector<std::string>> function_begun_in(const std::string& code) {
  static const std::regex opening(R"((\w+)\()"), body(R"( (?:const )?(?:noexcept )?(?:override )?\{)");
  for (std::sregex_iterator at(code.begin(), code.end(), opening), end; at != end; ++at) {
    auto place = static_cast<std::size_t>(at->position(0) + at->length(0));
    auto parameters = arguments_from(code, place);
    if (place >= code.size()) continue;
    const auto rest = code.substr(place + 1);
    if (std::regex_search(rest, body, std::regex_constants::match_continuous)) return {at->str(1), parameters};
  }
  return {};
}

std::set<Looker> lookers_in(const std::vector<Statement>& all) {
  static const std::regex text_parameter(R"(\bstring(?:_view)?&? (\w+)$)");
  std::set<Looker> found;
  std::vector<std::pair<Looker, std::string>> open;  // each parameter of the function, and its name
  int depth = 0, outside = 0;
  for (const auto& each : all) {
    const auto code = code_of(each.text);
    if (open.empty()) {
      outside = depth;
      const auto [name, parameters] = function_begun_in(code);
      std::smatch parameter;
      for (std::size_t n = 0; n < parameters.size(); ++n)
        if (std::regex_search(parameters[n], parameter, text_parameter)) open.push_back({{name, n}, parameter.str(1)});
    }
    for (const auto& [looker, name] : open)
      if (looks_into(code, name)) found.insert(looker);
    depth += static_cast<int>(std::ranges::count(code, '{') - std::ranges::count(code, '}'));
    if (depth <= outside) open.clear();
  }
  return found;
}

/// Whether the statement gives words of an error to that function as they are.
bool gives_words_to(const std::string& code, const Looker& looker) {
  static const std::regex words(R"(^\s*[\w.:>()*-]*)" + std::string(words_of_error) + R"(\s*$)");
  if (code.find(looker.name + '(') == std::string::npos) return false;
  const std::regex call("(?:^|[^\\w.>])" + looker.name + "\\(");
  for (std::sregex_iterator at(code.begin(), code.end(), call), end; at != end; ++at) {
    auto place = static_cast<std::size_t>(at->position(0) + at->length(0));
    const auto given = arguments_from(code, place);
    if (looker.parameter < given.size() && std::regex_search(given[looker.parameter], words)) return true;
  }
  return false;
}

bool is_excepted(const std::string& file, const std::string& name) {
  return std::ranges::any_of(exceptions, [&](const auto& each) { return each.file == file && each.name == name; });
}

/// `excepted`: by file and name; those that were needed are removed.
std::vector<Finding> check_errors(const Source& file, std::set<std::pair<std::string, std::string>>& excepted) {
  static const std::string words = words_of_error;
  static const std::regex searched(words + R"(\s*\.\s*()" + searches + R"()\()");
  static const std::regex text_searched(R"((\.|->)error\s*\.\s*(find|rfind|starts_with|ends_with|contains|substr)\()");
  static const std::regex compared(words + R"(\s*[=!]=|[=!]=\s*[\w.>()*-]*)" + words);
  std::vector<Finding> found;
  const auto all = statements(file.text);
  const auto lookers = lookers_in(all);
  Names names;
  for (const auto& [number, text] : all) {
    const auto code = code_of(text);
    bool decides = std::regex_search(text, searched) || std::regex_search(text, text_searched) ||
                   std::regex_search(text, compared);
    std::set<std::string> by = {};
    for (const auto& name : names.looked_into(code)) by.insert(name);
    for (const auto& looker : lookers)
      if (gives_words_to(code, looker)) by.insert(looker.name);
    for (const auto& name : by)
      if (is_excepted(file.path, name))
        excepted.erase({file.path, name});
      else
        decides = true;
    if (decides) found.push_back({file.path, number, "what decides is an error's code, never its words"});
  }
  return found;
}

std::vector<Finding> check_errors(const Source& file) {
  std::set<std::pair<std::string, std::string>> none;
  return check_errors(file, none);
}

TEST_CASE("no error's words decide what follows") {
  std::vector<Finding> found;
  std::set<std::pair<std::string, std::string>> unneeded;
  for (const auto& each : exceptions) unneeded.insert({each.file, each.name});
  for (const auto& file : sources({"src", "include"}, {".cpp", ".hpp"})) add(found, check_errors(file, unneeded));
  INFO(listed(found));
  CHECK(found.empty());
  for (const auto& [file, name] : unneeded) FAIL_CHECK(file, ": ", name, " needs no exception");
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
  CHECK(findings("const auto rest = line.size();\nconst auto at = "
                 "answer.error()\n    .message()\n    .find(\": \");") == 1);
  CHECK(findings("if (problem.message ==\n    status.last_cycle.message())\n  "
                 "return;") == 1);
  // The words have another name in the second line.
  CHECK(findings("const auto& words = error.detail;\nif "
                 "(words.starts_with(\"no_space\")) return;") == 1);
  CHECK(findings("auto text = answer.error().message();\nwork();\nreturn text "
                 "== before;") == 1);
  CHECK(findings("std::string text(cause.detail);\nconst auto at =\n    "
                 "text.find(\": \");") == 1);
  CHECK(findings("if (const auto words = sentence(problem);\n    "
                 "words.contains(\"full\"))\n  return;") == 1);
  CHECK(findings("bool is_full(std::string_view words) {\n  return "
                 "words.find(\"full\") == 0;\n}\n"
                 "bool is_it(const Error& error) {\n  return "
                 "is_full(error.detail);\n}") == 1);
  CHECK(findings("std::string behind(std::string words, int n) {\n  words.erase(0, "
                 "words.rfind(\": \"));\n"
                 "  return words;\n}\nauto end = behind(\n    reason(cause), 2);") == 1);
  CHECK(findings("const auto words = error.detail;\ntext += words;\nif "
                 "(name.starts_with(\"a\")) return;") == 0);
  CHECK(findings("void one() {\n  auto words = error.detail;\n  text += words;\n}\n"
                 "bool two(std::string_view words) {\n  return words == name;\n}") == 0);
  CHECK(findings("text += \": \" + error.detail;") == 0);
  CHECK(findings("if (error.code == base::Errc::no_space) return;") == 0);
}

}  // namespace
}  // namespace vtmirror::architecture
