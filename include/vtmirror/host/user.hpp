// A user of this machine, and how a process of root becomes that user for good.
// Promises that a process that became a user has the rights and groups of that user alone, and cannot return to root.
// Never changes a file or directory that exists.
#pragma once

#include "vtmirror/base/result.hpp"

#include <sys/types.h>

#include <optional>
#include <string>

namespace vtmirror::host {

struct User {
  uid_t id = 0;
  gid_t group = 0;     ///< the primary one; without an account, that of the directory
  std::string name{};  ///< empty if the ID has no account
  std::string home = "/";
  std::string shell = "/bin/sh";
};

/// "vtmirror", or "4711" for an ID without an account.
std::string name_of(const User& user);

/// Empty if there is no account of that name. Errors: io.
base::Result<std::optional<User>> user_named(const std::string& name);
/// The user to whom the directory belongs; empty if there is no directory. Errors: io.
base::Result<std::optional<User>> owner_of(const std::string& directory);

/// Whether the user may do with the file what `mode` says, as for access(2): 0, or the error's number; empty if that
/// could not be found out. For root, before any thread starts: a process of its own becomes the user and tries.
std::optional<int> access_error(const User& user, const std::string& file, int mode);

/// Creates the directory, with the mode 0750 and for the user, durably. It must not exist, and the one above it must.
/// Errors: io.
base::Result<void> make_directory_for(const User& user, const std::string& directory);

/// Sets groups, group and user of this process, in this order, and HOME, USER, LOGNAME and SHELL. Variables that name
/// places of the old user are removed, and a working directory that the user may not enter is left for /.
/// Call it before any thread starts, and before any file is opened for writing. Errors: io; the process must end then,
/// because a part may have been set.
base::Result<void> become_user(const User& user);

}  // namespace vtmirror::host
