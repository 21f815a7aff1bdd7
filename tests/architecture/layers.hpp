// Which room uses which: the table of ARCHITECTURE.md as data, and the check of one file against it.
#pragma once

#include "architecture/source_tree.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace vtmirror::architecture {

struct Room {
  std::string name;
  std::vector<std::string> uses;       ///< rooms below it
  std::vector<std::string> libraries;  ///< names of `Library`; what is not listed is forbidden
};
const std::vector<Room>& rooms();

/// Something that only some rooms may name: a library, or a part of the standard one that reaches the world.
struct Library {
  std::string name;
  std::vector<std::string> includes;  ///< how the path of an #include of it begins
  std::vector<std::string> words;     ///< "asio" as in asio::..., or with a star "sqlite3_*"; or "system_clock::now"
};
const std::vector<Library>& libraries();

/// "net" for include/vtmirror/net/http.hpp, src/net/x.cpp and tests/net/x_test.cpp; empty for what belongs to no room.
std::string room_of(std::string_view path);

/// What in `file` breaks the table. A file of no room is not looked at.
std::vector<Finding> check_layers(const Source& file);

}  // namespace vtmirror::architecture
