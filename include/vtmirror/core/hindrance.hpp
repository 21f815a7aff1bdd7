// Obstacles to reading or updating the mirror that only a person can remove: a directory that cannot be read, something
// foreign in the place of one of the program's own files, and a file that cannot be removed.
// Pure: makes the causes by which such a hindrance is reported (problem `repair_failed`), and recognises them again.
#pragma once

#include "vtmirror/core/cause.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace vtmirror::core {

enum class Hindrance {
  none,
  unread_directory,  ///< what lies below it is not known
  obstructed,        ///< a text cannot be replaced, because something that the program did not make is in its place
  stays,             ///< a file whose removal is recorded could not be removed
};

/// `path` is relative to the mirror; `detail` is the system's reason.
Cause unread_directory(std::string path, std::string detail);
/// `detail` says what is in the place of the text.
Cause obstructed(std::string path, std::string detail);

/// `error` is of the file of that name.
Cause stays(const base::Error& error, std::string name);

/// Which of these made this cause; `none` if none did.
Hindrance hindrance_of(const Cause& cause) noexcept;

/// Whether a path lies below one of these directories.
bool is_below(std::string_view path, const std::vector<Cause>& directories) noexcept;

/// Adds those of `more` whose subject has no cause yet.
void add_causes(std::vector<Cause>& causes, const std::vector<Cause>& more);

}  // namespace vtmirror::core
