// What a file includes, and whether headers include each other in a circle.
#pragma once

#include "architecture/source_tree.hpp"

#include <string>
#include <vector>

namespace vtmirror::architecture {

struct Include {
  std::string path;  ///< as it is written
  bool quoted = false;
  int line = 0;
};
std::vector<Include> includes(const std::string& text);

/// The first circle among `headers` (paths from the root), each one including the next and the last the first; empty
/// if there is none.
std::vector<std::string> include_cycle(const std::vector<Source>& headers);

}  // namespace vtmirror::architecture
