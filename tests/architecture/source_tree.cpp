#include "architecture/source_tree.hpp"
#include "support/repository.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace vtmirror::architecture {
namespace {

namespace fs = std::filesystem;

const fs::path& root() {
  static const auto path = test::repository();
  return path;
}

bool ends_with_any(const std::string& name, const std::vector<std::string>& endings) {
  return std::any_of(endings.begin(), endings.end(), [&](const auto& ending) { return name.ends_with(ending); });
}

std::string contents(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw std::runtime_error("cannot read " + path.string());
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

}  // namespace

std::vector<Source> sources(const std::vector<std::string>& directories, const std::vector<std::string>& endings) {
  std::vector<Source> found;
  for (const auto& directory : directories) {
    for (const auto& entry : fs::recursive_directory_iterator(root() / directory)) {
      if (!entry.is_regular_file() || !ends_with_any(entry.path().filename().string(), endings)) continue;
      found.push_back({fs::relative(entry.path(), root()).generic_string(), contents(entry.path())});
    }
  }
  if (found.empty()) throw std::runtime_error("no file found to check");
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.path < b.path; });
  return found;
}

Source source(const std::string& path) { return {path, contents(root() / path)}; }

bool exists(const std::string& path) { return fs::exists(root() / path); }

void each_line(const Source& file, const std::function<void(const std::string& line, int number)>& visit) {
  std::istringstream lines(file.text);
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) visit(line, number);
}

std::string listed(const std::vector<Finding>& findings) {
  std::string text;
  for (const auto& finding : findings) {
    text += finding.path + ":" + std::to_string(finding.line) + ": " + finding.rule + "\n";
  }
  return text;
}

void add(std::vector<Finding>& all, const std::vector<Finding>& more) {
  all.insert(all.end(), more.begin(), more.end());
}

}  // namespace vtmirror::architecture
