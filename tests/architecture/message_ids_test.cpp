#include "architecture/source_tree.hpp"
#include "architecture/tool.hpp"
#include "support/skip.hpp"
#include "support/temporary_directory.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

namespace vtmirror::architecture {
namespace {

using Ids = std::map<std::string, std::string>;  // of each kind of event

std::vector<std::smatch> matches(const std::string& text, const std::regex& pattern) {
  return {std::sregex_iterator(text.begin(), text.end(), pattern), std::sregex_iterator()};
}

const Source& journal() {
  static const auto file = source("include/vtmirror/ports/journal.hpp");
  return file;
}
const Source& catalogue() {
  static const auto file = source("systemd/vtmirror.catalog");
  return file;
}

/// The enumerators of EventKind.
std::set<std::string> kinds() {
  static const std::regex list(R"(enum class EventKind \{([^}]*)\})");
  static const std::regex word(R"((?:^|\n)\s*([a-z_]+)\s*,)");
  std::smatch found;
  REQUIRE(std::regex_search(journal().text, found, list));
  const std::string inside = found[1];
  std::set<std::string> all;
  for (const auto& match : matches(inside, word)) all.insert(match[1]);
  return all;
}

Ids ids_of_the_code() {
  static const auto file = source("src/host/message_ids.hpp");
  static const std::regex row(R"re(case EventKind::([a-z_]+):\s*return "([0-9a-f]{32})";)re");
  Ids all;
  for (const auto& match : matches(file.text, row)) all[match[1]] = match[2];
  return all;
}

/// One entry of the catalogue, with the word above its id.
struct Entry {
  std::string kind;
  std::string id;
  std::string text;
};

std::vector<Entry> entries() {
  static const std::regex head(R"(# ([a-z_]+)\n-- ([0-9a-f]{32})\n)");
  const auto& text = catalogue().text;
  const auto heads = matches(text, head);
  std::vector<Entry> all;
  for (std::size_t n = 0; n < heads.size(); ++n) {
    const auto begin = static_cast<std::size_t>(heads[n].position() + heads[n].length());
    const auto end = n + 1 < heads.size() ? static_cast<std::size_t>(heads[n + 1].position()) : text.size();
    all.push_back({heads[n][1], heads[n][2], text.substr(begin, end - begin)});
  }
  return all;
}

TEST_CASE("every kind of event has an id, and every id a kind") {
  const auto all = kinds();
  const auto ids = ids_of_the_code();
  CHECK(all.size() > 10);
  for (const auto& kind : all) CHECK_MESSAGE(ids.contains(kind), kind);
  CHECK(ids.size() == all.size());
}

TEST_CASE("the catalogue explains the ids of the code, each once, and no other") {
  Ids explained;
  for (const auto& entry : entries()) {
    CHECK_MESSAGE(explained.emplace(entry.kind, entry.id).second, entry.kind);
  }
  const auto ids = ids_of_the_code();
  for (const auto& row : ids) CHECK_MESSAGE(explained.contains(row.first), row.first);
  for (const auto& row : explained) {
    CAPTURE(row.first);
    REQUIRE(ids.contains(row.first));
    CHECK(row.second == ids.at(row.first));
  }
  CHECK(matches(catalogue().text, std::regex("(^|\n)-- ")).size() == explained.size());
}

TEST_CASE("an entry of the catalogue has a subject, says who defined it, and says what to do") {
  for (const auto& entry : entries()) {
    CAPTURE(entry.kind);
    CHECK(entry.text.starts_with("Subject: "));
    CHECK(entry.text.find("\nDefined-By: vtmirror\n") != std::string::npos);
    CHECK(entry.text.find("\nSupport: ") != std::string::npos);
    const auto body = entry.text.substr(entry.text.find("\n\n"));
    CHECK(body.size() > 80);
  }
}

TEST_CASE("the program logs the fields that the catalogue shows") {
  static const std::regex shown("@VTMIRROR_([A-Z_]+)@");
  std::string code;
  for (const auto& file : sources({"src"}, {".cpp"})) code += file.text;
  for (const auto& match : matches(catalogue().text, shown)) {
    std::string key = match[1];
    for (auto& letter : key) letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
    CHECK_MESSAGE(code.find("{\"" + key + "\", ") != std::string::npos, key);
  }
}

TEST_CASE("journalctl takes the catalogue whole") {
  if (const auto why = test::absent("journalctl", "systemd")) return test::skip(*why);
  const test::TemporaryDirectory root;
  const auto directory = root / "usr/lib/systemd/catalog";
  test::write_file(directory / "vtmirror.catalog", catalogue().text);
  std::filesystem::create_directories(root / "var/lib/systemd/catalog");
  const auto updated = run("journalctl --update-catalog --root='" + root.string() + "'");
  CHECK_MESSAGE(updated.status == 0, updated.output);
  CHECK(updated.output.empty());
  const auto dumped = run("journalctl --dump-catalog --root='" + root.string() + "'");
  for (const auto& entry : entries()) {
    CAPTURE(entry.kind);
    const auto at = dumped.output.find("-- " + entry.id + '\n');
    REQUIRE(at != std::string::npos);
    const auto subject = entry.text.substr(0, entry.text.find('\n'));
    CHECK(dumped.output.find(subject, at) == at + 3 + entry.id.size() + 1);
  }
}

}  // namespace
}  // namespace vtmirror::architecture
