#include "architecture/includes.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <sstream>
#include <utility>

namespace vtmirror::architecture {
namespace {

std::optional<Include> include_of(const std::string& text, int line) {
  const auto open = text.find_first_of("<\"");
  if (!text.starts_with("#include") || open == std::string::npos) return std::nullopt;
  const auto close = text.find_first_of(">\"", open + 1);
  return Include{text.substr(open + 1, close - open - 1), text[open] == '"', line};
}

/// "src/net/lane.hpp" is included as "net/lane.hpp".
std::string as_included(const std::string& path) { return path.substr(path.find('/') + 1); }

/// Depth first; `on_the_way` are the headers that include this one, from the first on.
class Search {
 public:
  explicit Search(const std::vector<Source>& headers) {
    for (const auto& header : headers) {
      auto& next = graph_[as_included(header.path)];
      for (const auto& include : includes(header.text))
        if (include.quoted) next.push_back(include.path);
    }
  }

  std::vector<std::string> find() {
    for (const auto& [header, next] : graph_)
      if (visit(header)) return on_the_way_;
    return {};
  }

 private:
  bool visit(const std::string& header) {
    if (!graph_.contains(header) || done_[header]) return false;
    const auto seen = std::find(on_the_way_.begin(), on_the_way_.end(), header);
    if (seen != on_the_way_.end()) {
      on_the_way_.erase(on_the_way_.begin(), seen);
      return true;
    }
    on_the_way_.push_back(header);
    for (const auto& next : graph_.at(header))
      if (visit(next)) return true;
    on_the_way_.pop_back();
    done_[header] = true;
    return false;
  }

  std::map<std::string, std::vector<std::string>> graph_;
  std::map<std::string, bool> done_;
  std::vector<std::string> on_the_way_;
};

}  // namespace

std::vector<Include> includes(const std::string& text) {
  std::vector<Include> found;
  std::istringstream lines(text);
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    if (auto include = include_of(line, number)) found.push_back(std::move(*include));
  }
  return found;
}

std::vector<std::string> include_cycle(const std::vector<Source>& headers) { return Search(headers).find(); }

}  // namespace vtmirror::architecture
