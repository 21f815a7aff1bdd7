// The secret files in the state directory: one factory, and the files' names.
// Promises what ports/secrets.hpp promises. Never leaves a secret where another user can read it.
#pragma once

#include "vtmirror/ports/secrets.hpp"

#include <memory>
#include <string>

namespace vtmirror::mirror {

inline constexpr char kept_secret[] = "client_secret";          ///< in use, in one line
inline constexpr char unproved_secret[] = "client_secret.new";  ///< issued, not verified yet

/// The directory is opened, and created if missing, by the first call that needs it. Files have mode 0600; those that
/// root creates belong to the directory's owner.
std::unique_ptr<ports::Secrets> open_secrets(std::string state_directory);
/// The same for a process that only reads: nothing is created. Without a key for the fingerprints they are those of
/// this process alone. The caller calls only functions that read.
std::unique_ptr<ports::Secrets> look_at_secrets(std::string state_directory);

}  // namespace vtmirror::mirror
