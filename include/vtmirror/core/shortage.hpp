// A lack of open files, as the `service_code` of the error of whatever could not be opened for it. Pure.
// It is a limit that was reached, and says nothing about the disk or the network that the error's code is of.
#pragma once

#include <cerrno>
#include <string_view>

namespace vtmirror::core {

/// This process has as many open files as it may have, or this machine has.
inline constexpr std::string_view open_files = "open_files";
inline constexpr std::string_view open_files_of_machine = "open_files_of_machine";

/// Empty for any other errno.
constexpr std::string_view shortage_of(int error) noexcept {
  if (error == EMFILE) return open_files;
  return error == ENFILE ? open_files_of_machine : std::string_view();
}

}  // namespace vtmirror::core
