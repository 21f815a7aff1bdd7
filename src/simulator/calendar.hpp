// Which files the service lists on a day, and what is behind a file's name. Pure.
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
  Recipe recipe;  ///< what its bytes are made from
};

/// The bulk file of the newest cycle that has begun and is listed, then a delta for each day from it to `today`.
std::vector<File> listed_files(const Script& script, base::Date today);

/// The file that a path under the store names, listed or not; for a name of no known shape a file of a delta's size.
File file_named(const Script& script, std::string_view name);

/// The directory's month and day are not padded, the name's are (vtmirror-service(7) 2.2).
std::string file_name(Kind kind, base::Date date);

}  // namespace vtmirror::simulator
