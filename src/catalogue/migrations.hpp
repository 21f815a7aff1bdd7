// The numbered steps from an empty database to the program's schema, in order; never edited once released.
#pragma once

#include <span>
#include <string_view>

namespace vtmirror::catalogue {

struct Migration {
  std::string_view name;
  std::string_view sql;
};

std::span<const Migration> migrations();

}  // namespace vtmirror::catalogue
