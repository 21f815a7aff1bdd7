// Comments may cite papers. Each paper that they name is in the repository, with the section that they name.
#include "architecture/source_tree.hpp"

#include <doctest/doctest.h>

#include <regex>
#include <string>
#include <vector>

namespace vtmirror::architecture {
namespace {

std::vector<std::smatch> matches(const std::string& text, const std::regex& pattern) {
  return {std::sregex_iterator(text.begin(), text.end(), pattern), std::sregex_iterator()};
}

/// "vtmirror.toml(5)" lies in packaging/man/vtmirror.toml.5.
std::string page_path(const std::smatch& page) { return "packaging/man/" + page.str(1) + "." + page.str(2); }

/// Whether a line of the page begins so: ".SS 4.2 ".
bool has_heading(const std::string& page, const std::string& beginning) {
  return source(page).text.find('\n' + beginning) != std::string::npos;
}

void check_markdown(const Source& file, const std::string& line, int number, std::vector<Finding>& found) {
  static const std::regex markdown(R"(([A-Za-z0-9_-]+\.md)\b)");
  if (line.find(".md") == std::string::npos) return;
  for (const auto& match : matches(line, markdown)) {
    if (!exists(match.str(1))) found.push_back({file.path, number, "there is no paper " + match.str(1)});
  }
}

void check_pages(const Source& file, const std::string& line, int number, std::vector<Finding>& found) {
  static const std::regex page(R"(\b(vtmirror[a-z.-]*)\(([1-8])\)(?:, ([A-Z][A-Z .]*[A-Z])\b)?)");
  for (const auto& match : matches(line, page)) {
    const auto path = page_path(match);
    if (!exists(path))
      found.push_back({file.path, number, "there is no manual page " + path});
    else if (match[3].matched && !has_heading(path, ".SH " + match.str(3) + '\n'))
      found.push_back({file.path, number, path + " has no section " + match.str(3)});
  }
}

/// "vtmirror-service(7) 2.3, 4.3".
void check_sections(const Source& file, const std::string& line, int number, std::vector<Finding>& found) {
  static const std::regex citation(R"(\b(vtmirror-service)\((7)\)((?:,? [0-9]+(?:\.[0-9]+)?)+))");
  static const std::regex section(R"([0-9]+(\.[0-9]+)?)");
  for (const auto& match : matches(line, citation)) {
    const std::string numbers = match[3];
    for (const auto& each : matches(numbers, section)) {
      const auto heading = each[1].matched ? ".SS " + each.str() + ' ' : ".SH " + each.str() + ". ";
      if (!has_heading(page_path(match), heading))
        found.push_back({file.path, number, "vtmirror-service(7) has no section " + each.str()});
    }
  }
}

std::vector<Finding> check_citations(const Source& file) {
  std::vector<Finding> found;
  each_line(file, [&](const std::string& line, int number) {
    check_markdown(file, line, number, found);
    if (line.find("vtmirror") == std::string::npos) return;
    check_pages(file, line, number, found);
    check_sections(file, line, number, found);
  });
  return found;
}

TEST_CASE("every paper and every section that a comment cites is in the repository") {
  std::vector<Finding> found;
  for (const auto& file : sources({"include", "src", "tests", "etc", "systemd", "migrations"}, {""}))
    add(found, check_citations(file));
  for (const auto* paper : {"README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md"})
    add(found, check_citations(source(paper)));
  INFO(listed(found));
  CHECK(found.empty());
}

TEST_CASE("every fact of vtmirror-service(7) 10 says how certain it is") {
  static const std::regex item(R"re(\n\.IP \\\(bu 4\n([^]*?)(?=\n\.(?:IP|S[HS]) ))re");
  static const std::regex rank(R"(\n\.RI \( (?:seen|reported|assumed) \))");
  const auto page = source("packaging/man/vtmirror-service.7").text;
  const auto facts = page.substr(page.find(".SH 10. FIELD FACTS"));
  const auto items = matches(facts, item);
  CHECK(items.size() > 20);
  for (const auto& each : items) CHECK_MESSAGE(std::regex_search(each.str(1), rank), each.str(1));
}

TEST_CASE("a citation of a paper, a page or a section that is not there is refused") {
  const auto findings = [](const std::string& line) { return check_citations({"x.cpp", line}).size(); };
  CHECK(findings("// see README.md and vtmirror.toml(5)") == 0);
  CHECK(findings(std::string("// product") + ".md 5") == 1);
  CHECK(findings("// systemd(1) and vtmirror(8), FILES") == 0);
  CHECK(findings(std::string("// vtmirror") + "(7)") == 1);
  CHECK(findings(std::string("// vtmirror(8)") + ", NOTHING") == 1);
  CHECK(findings("// vtmirror-service(7) 2.3, 4.3 and vtmirror-service(7) 1, rule 5") == 0);
  CHECK(findings(std::string("// vtmirror-service(7)") + " 2.3, 11") == 1);
  CHECK(findings(std::string("// vtmirror-service(7)") + " 4.9") == 1);
}

}  // namespace
}  // namespace vtmirror::architecture
