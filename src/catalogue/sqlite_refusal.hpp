// Maps SQLite's result codes to this project's errors.
#pragma once

#include "vtmirror/base/result.hpp"

#include <string>
#include <string_view>

namespace vtmirror::catalogue {

struct Refusal {
  int code = 0;           ///< SQLite's, extended
  int system_errno = 0;   ///< of the failed system call; 0 if there was none
  std::string_view text;  ///< SQLite's own message
};

/// Errors: no_space (disk full), io (files and permissions), catalogue_damaged (not a database, or a damaged one),
/// catalogue (everything else: broken constraints, a lock that was not released).
base::Error translate(const Refusal& refusal, const std::string& path);

/// The error for a damaged file; `what` is the damage.
base::Error damage(const std::string& path, std::string_view what);

}  // namespace vtmirror::catalogue
