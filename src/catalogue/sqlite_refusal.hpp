// What SQLite's result codes mean in this project's terms.
#pragma once

#include "vtmirror/base/result.hpp"

#include <string>
#include <string_view>

namespace vtmirror::catalogue {

struct Refusal {
  int code = 0;           ///< SQLite's, extended
  int system_errno = 0;   ///< of the failed system call; 0 where there was none
  std::string_view text;  ///< SQLite's own words
};

/// Errors: no_space (disk full), io (files and permissions), catalogue_damaged (no database, or a damaged one),
/// catalogue (all else: broken constraints, a lock that was not let go).
base::Error translate(const Refusal& refusal, const std::string& path);

/// The Error that says that the file is damaged, and how.
base::Error damage(const std::string& path, std::string_view what);

}  // namespace vtmirror::catalogue
