// Root's work on a state directory that belongs to another user, which is done as that user: so nothing is left that
// the daemon cannot use. Promises that nothing is written before. Never gives a file to another user.
#pragma once

#include "vtmirror/base/result.hpp"
#include "vtmirror/host/user.hpp"

#include <optional>
#include <string>

namespace vtmirror::wiring {

/// What to do about a default state directory that does not exist: a command that changes nothing does not make it.
enum class Missing { made, left };

/// This process becomes the user to whom the directory belongs, if it is root's and the directory is not. If there is
/// no directory, it is the default one and the package's user exists, the directory is made for that user first, or
/// left, and the process becomes that user. Core dumps of the process stay forbidden. Returns the user's name, or
/// nothing if the process stays what it is. Errors: config; io, if the system fails; the process must end then.
base::Result<std::optional<std::string>> become_state_owner(const std::string& state_directory,
                                                            Missing missing = Missing::made);

/// The user as whom a daemon works on the state directory, if this process is root's and would become that user.
/// Changes nothing. Errors: as above.
base::Result<std::optional<host::User>> user_of_state(const std::string& state_directory);

/// For the daemon, which reads its secrets again at each reload and needs the directory of its socket, and so cannot
/// become another user: whether root may run it on this state directory. Changes nothing. Errors: config, if the
/// directory belongs to another user, or would, with the command to use instead; io, if the system fails.
base::Result<void> may_run_here(const std::string& state_directory);

}  // namespace vtmirror::wiring
