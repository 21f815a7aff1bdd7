// Where the settings file is searched, and where an ordinary user's own settings keep state and socket: the places of
// the XDG base directory specification. Also `~` in paths.
// Promises that a variable with a relative path counts as not set, as that specification wants it. Never makes a
// file or a directory.
#pragma once

#include "vtmirror/settings/load.hpp"

#include <string>

namespace vtmirror::settings {

/// The settings file if a user has none of their own.
inline constexpr char system_settings_file[] = "/etc/vtmirror/vtmirror.toml";

/// $HOME, or what the account's entry has; empty if neither is known.
std::string home_directory(const Environment& environment);

/// `~` and `~/...` below the home directory; any other path unchanged, and all of them if `home` is empty.
std::string below_home(std::string path, const std::string& home);

/// The settings file of an ordinary user: $XDG_CONFIG_HOME/vtmirror/vtmirror.toml. Empty if no home directory is known.
std::string own_settings_file(const Environment& environment);

/// The file to use if neither --config nor VTMIRROR_CONFIG names one: an ordinary user's own if it exists, or else the
/// system's.
std::string default_settings_file(const Environment& environment, bool is_root);

/// The first of $STATE_DIRECTORY, in which systemd passes the unit's directories; empty if there is none.
std::string given_state_directory(const Environment& environment);

/// Whether the file belongs to the user of this process, who is not root: then its defaults are the user's too.
bool is_own(const std::string& settings_file);

/// The defaults of a user's own settings, for what the file does not set: state below $XDG_STATE_HOME, the socket below
/// $XDG_RUNTIME_DIR (without one, in the state directory), no group. $STATE_DIRECTORY counts before the first.
void use_own_places(ReadConfig& read, const Environment& environment);

}  // namespace vtmirror::settings
