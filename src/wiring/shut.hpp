// Paths that cannot be used as things are: only other settings, another owner or an administrator can change that.
// Never changes anything.
#pragma once

#include "vtmirror/wiring/obstacles.hpp"

#include <filesystem>
#include <optional>
#include <string>

namespace vtmirror::wiring {

struct Shut {
  std::string path;             ///< at which the system refuses
  std::string why;              ///< as the end of the sentence "PATH: ..."
  bool is_of_right = false;     ///< only the user may not; another one perhaps may
  bool is_other_thing = false;  ///< something else than what is expected is there, which no right changes
};

enum class Expected { file, directory, any };

/// What is there must be what is expected, and may be used; what is missing may be made, with the directories above it.
/// A failure that may pass, such as one of the disk, shuts nothing.
std::optional<Shut> shut_at(const std::filesystem::path& path, Expected expected, const Access& access = own_access);

/// The catalogue has files beside it, and needs a directory in which to make them.
std::optional<Shut> shut_catalogue(const std::string& path, const Access& access = own_access);

/// Whether the file system there is mounted read-only, as far as it can be asked.
bool is_read_only(const std::string& path);

/// The directory of a socket is not made: it must be there.
std::optional<Shut> shut_directory_of_socket(const std::string& path, const Access& access = own_access);

}  // namespace vtmirror::wiring
