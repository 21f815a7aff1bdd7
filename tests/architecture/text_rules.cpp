#include "architecture/text_rules.hpp"

#include <algorithm>
#include <optional>
#include <regex>
#include <sstream>

namespace vtmirror::architecture {
namespace {

/// What must not stand in a test, and the rule that it breaks. `word` is part of every match, and quick to look for.
struct Forbidden {
  std::string word;
  std::regex pattern;
  std::string rule;

  bool stands_in(const std::string& line) const {
    return line.find(word) != std::string::npos && std::regex_search(line, pattern);
  }
};

const std::vector<Forbidden>& forbidden_in_tests() {
  static const std::string sleeps = "no test sleeps: wait for what is to happen";
  static const std::string fixes_port = "no fixed port: let the kernel pick (0)";
  static const std::vector<Forbidden> all{
      {"sleep", std::regex(R"(\b(sleep_for|sleep_until|usleep|nanosleep)\b|\bsleep\s*\()"), sleeps},
      {"htons", std::regex(R"(\bhtons\s*\(\s*[1-9])"), fixes_port},
      {"endpoint", std::regex(R"(\bendpoint\s*[({][^;]*,\s*[1-9][0-9]*\s*[)}])"), fixes_port},
      {"listen", std::regex(R"(\blisten\s+(127\.0\.0\.1:)?[1-9][0-9]*\b)"), fixes_port},
      {"int", std::regex(R"(\b(static_cast<(int|unsigned|std::size_t)>|int)\(\w+(::\w+)+\))"),
       "a loop over an enumeration's numbers stops half way one day: test::every knows them all"},
      {"skipped: ", std::regex("\"skipped"), "test::skip says that a case is skipped, and counts it"},
      {"system_clock::now", std::regex(R"(\bsystem_clock::now\b)"), "no machine's clock: time is an argument"},
  };
  return all;
}

int words(const std::string& text) {
  std::istringstream in(text);
  int count = 0;
  for (std::string word; in >> word;) ++count;
  return count;
}

void check_name(const Source& file, const std::string& line, int number, std::vector<Finding>& found) {
  static const std::regex test_case(R"re(^\s*TEST_CASE\("([^"]*)")re");
  std::smatch match;
  if (line.find("TEST_CASE") == std::string::npos) return;
  if (!std::regex_search(line, match, test_case) || words(match[1]) >= 3) return;
  found.push_back({file.path, number, "a test's name is a sentence of the domain"});
}

/// Finds the bare `return;` that leaves a test case. One in a lambda leaves that alone.
class SilentExits {
 public:
  bool stands_in(const std::string& line) {
    static const std::regex lambda(R"(\](\(.*\)| )[^;]*\{$)");
    const auto indentation = line.find_first_not_of(' ');
    if (line.starts_with("TEST_CASE")) inside_ = true;
    if (line.starts_with('}')) inside_ = false;
    if (!inside_) return false;
    if (lambda_) {
      if (indentation <= *lambda_ && line[indentation] == '}') lambda_.reset();
    } else if (std::regex_search(line, lambda)) {
      lambda_ = indentation;
    }
    return !lambda_ && line.ends_with(" return;");
  }

 private:
  bool inside_ = false;
  std::optional<std::size_t> lambda_;  ///< the indentation of the line that opened it
};

/// Finds the names of structured bindings that doctest's lambdas would capture: clang 14 refuses that, GCC takes it.
class CapturedBindings {
 public:
  bool stands_in(const std::string& line) {
    static const std::regex bindings(R"(auto&{0,2} \[([^\]]*)\])");
    static const std::regex captured(R"(\b(?:CAPTURE|INFO)\(.*)");
    static const std::regex name(R"(\w+)");
    const auto indentation = line.find_first_not_of(' ');
    if (indentation == std::string::npos) return false;
    std::erase_if(known_, [indentation](const Known& each) { return indentation < each.valid_from; });
    std::smatch found;
    if (std::regex_search(line, found, bindings)) {
      const std::string names = found[1];
      const bool of_a_loop = line.compare(indentation, 4, "for ") == 0 || line.compare(indentation, 4, "for(") == 0;
      for (std::sregex_iterator at(names.begin(), names.end(), name), end; at != end; ++at)
        known_.push_back({at->str(), of_a_loop ? indentation + 1 : indentation});
    }
    if (!std::regex_search(line, found, captured)) return false;
    const std::string call = found[0];
    for (std::sregex_iterator at(call.begin(), call.end(), name), end; at != end; ++at)
      if (std::ranges::find(known_, at->str(), &Known::name) != known_.end()) return true;
    return false;
  }

 private:
  struct Known {
    std::string name;
    std::size_t valid_from;  ///< the least indentation of a line that may use it
  };
  std::vector<Known> known_;
};

using Matches = std::vector<std::string>;

Matches matches(const std::string& line, const std::regex& pattern) {
  Matches all;
  for (std::sregex_iterator at(line.begin(), line.end(), pattern), end; at != end; ++at) all.push_back((*at)[1]);
  return all;
}

}  // namespace

std::vector<Finding> check_length(const Source& file, int longest) {
  const auto lines = static_cast<int>(std::count(file.text.begin(), file.text.end(), '\n'));
  if (lines <= longest) return {};
  return {{file.path, lines, "no file has more than " + std::to_string(longest) + " lines"}};
}

std::vector<Finding> check_header(const Source& file) {
  std::vector<Finding> found;
  if (!file.text.starts_with("//")) found.push_back({file.path, 1, "a header opens with what it is"});
  if (file.text.find("\n#pragma once\n") == std::string::npos)
    found.push_back({file.path, 1, "a header has #pragma once"});
  return found;
}

std::vector<Finding> check_contract(const Source& file) {
  static const std::regex contract(R"(\b(Promises|Never|never|Pure|Only values|(Changes|Reveals|Writes) nothing)\b)");
  std::istringstream lines(file.text);
  std::string head;
  for (std::string line; std::getline(lines, line) && line.starts_with("//");) head += line.substr(2);
  if (std::regex_search(head, contract)) return {};
  return {{file.path, 1,
           "a public header opens with what it promises or never does, or says that it is pure or has only values"}};
}

/// The real programs go by the machine's clock: links that are signed for them, and the day that they serve, must too.
static bool may_read_the_clock(const Source& file) { return file.path.starts_with("tests/end_to_end/"); }

std::vector<Finding> check_test(const Source& file) {
  std::vector<Finding> found;
  SilentExits exits;
  CapturedBindings bindings;
  each_line(file, [&](const std::string& line, int number) {
    if (bindings.stands_in(line))
      found.push_back({file.path, number, "no structured binding in CAPTURE or INFO: clang 14 cannot capture one"});
    if (exits.stands_in(line))
      found.push_back({file.path, number, "a case that cannot run here says why: return skip(REASON)"});
    for (const auto& each : forbidden_in_tests()) {
      if (each.word == "system_clock::now" && may_read_the_clock(file)) continue;
      if (each.word == "skipped: " && file.path.starts_with("tests/support/")) continue;  // it is said there
      if (each.stands_in(line)) found.push_back({file.path, number, each.rule});
    }
    check_name(file, line, number, found);
  });
  return found;
}

std::set<std::string> verbs(const Source& script) {
  static const std::regex function(R"(^dev_([a-z_]+)\(\))");
  std::set<std::string> all;
  each_line(script, [&](const std::string& line, int) {
    for (const auto& name : matches(line, function)) all.insert(name);
  });
  return all;
}

std::vector<Finding> check_paper(const Source& paper, const std::set<std::string>& verbs) {
  static const std::regex verb(R"(\./dev ([a-z]+))");
  static const std::regex path(
      R"(`((?:src|include|tests|etc|migrations|packaging|debian|cmake|systemd|\.ci)/[^`\s<>*]*)`)");
  std::vector<Finding> found;
  each_line(paper, [&](const std::string& line, int number) {
    for (const auto& name : matches(line, verb)) {
      if (!verbs.contains(name)) found.push_back({paper.path, number, "./dev has no verb " + name});
    }
    for (const auto& name : matches(line, path)) {
      if (!exists(name)) found.push_back({paper.path, number, "there is no " + name});
    }
  });
  return found;
}

}  // namespace vtmirror::architecture
