// The project's own files as the architecture tests read them: paths relative to the root, text whole.
// Promises that a search that finds nothing fails, so that no check passes because it looked in the wrong place.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace vtmirror::architecture {

struct Source {
  std::string path;  ///< "src/net/lane.cpp"
  std::string text;
};

/// Every file below `directories` whose name ends in one of `endings`, by path. Throws where there is none.
std::vector<Source> sources(const std::vector<std::string>& directories, const std::vector<std::string>& endings);

/// One file by its path; throws where it is missing.
Source source(const std::string& path);

bool exists(const std::string& path);

/// Calls `visit` with each line of the file, without its end, and the line's number from 1 on.
void each_line(const Source& file, const std::function<void(const std::string& line, int number)>& visit);

/// A breach of a rule. `rule` says what would be right.
struct Finding {
  std::string path;
  int line = 0;
  std::string rule;

  bool operator==(const Finding&) const = default;
};

/// "path:line: rule", a line each: what a test prints, and compares with nothing.
std::string listed(const std::vector<Finding>& findings);

/// Appends `more` to `all`.
void add(std::vector<Finding>& all, const std::vector<Finding>& more);

}  // namespace vtmirror::architecture
