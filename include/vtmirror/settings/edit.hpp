// Sets single values in the text of a settings file, as `vtmirror config init` does in the shipped file, and writes it.
// Promises that every other line stays as it is, comments included, and that a file is replaced in one step. Never
// prints what it writes.
#pragma once

#include "vtmirror/base/result.hpp"

#include <sys/types.h>

#include <string>
#include <string_view>

namespace vtmirror::settings {

/// `toml` with `key` of `table` set to `value`: in place of the value that stands there, or else behind the key that
/// precedes it in the shipped file, or behind the table's header, or else in a new table at the end. Errors: config, if
/// the text is not TOML or a value stands in a place that is no string.
base::Result<std::string> with_value(std::string_view toml, std::string_view table, std::string_view key,
                                     const std::string& value);

/// The same for a flag.
base::Result<std::string> with_flag(std::string_view toml, std::string_view table, std::string_view key, bool flag);

/// Errors: config.
base::Result<std::string> read_file(const std::string& path);

/// Writes and syncs the file under another name, then renames it. A new file gets `mode`; an existing one keeps its
/// mode and its owner. Errors: io, no_space; then the old file is unchanged.
base::Result<void> replace_file(const std::string& path, std::string_view text, mode_t mode);

/// Makes the directory and those above it, by the umask. Errors: io, no_space.
base::Result<void> make_directory(const std::string& path);

}  // namespace vtmirror::settings
