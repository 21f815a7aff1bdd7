// A lack of open files, as what is found out about the error of whatever could not be opened for it. Pure.
// It is a limit that was reached, and says nothing about the disk or the network that the error's code is of.
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
