// Detects that an open failed because too many files are open (EMFILE, ENFILE). Pure.
// The error's code names the disk or the network, which are not at fault then.
#pragma once

#include "vtmirror/base/result.hpp"

#include <cerrno>

namespace vtmirror::core {

/// This process has as many open files as it may have, or this machine has. `none` for any other errno.
constexpr base::Diagnosis lack_of_files(int error) noexcept {
  if (error == EMFILE) return base::Diagnosis::open_files;
  return error == ENFILE ? base::Diagnosis::open_files_of_machine : base::Diagnosis::none;
}

}  // namespace vtmirror::core
