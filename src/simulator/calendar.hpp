// Which files the service lists on a day, and which archive a file's name stands for. Pure.
#pragma once

#include "simulator/script.hpp"

#include "vtmirror/base/time.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace vtmirror::simulator {

enum class Kind { bulk, delta };

struct File {
  Kind kind{};
  base::Date date{};
  std::string name;
  Recipe recipe;  ///< determines its bytes
};

/// The bulk file of the newest cycle that has begun and is listed, then a delta for each day from then to `today`.
std::vector<File> listed_files(const Script& script, base::Date today);

/// The file with this path in the store, listed or not. A name of unknown form gets a file of a delta's size.
File file_named(const Script& script, std::string_view name);

/// Month and day are padded in the name, but not in the directory (vtmirror-service(7) 2.2).
std::string file_name(Kind kind, base::Date date);

}  // namespace vtmirror::simulator
