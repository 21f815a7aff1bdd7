// The state directory's secret files on a real file system: one factory, and their names.
#pragma once

#include "vtmirror/ports/secrets.hpp"

#include <memory>
#include <string>

namespace vtmirror::mirror {

inline constexpr char kept_secret[] = "client_secret";          ///< in use, in one line
inline constexpr char unproved_secret[] = "client_secret.new";  ///< issued, not proved yet

/// The directory is opened, and made where it is missing, at the first call that needs it. Files are 0600, and the
/// directory's owner's where root makes them.
std::unique_ptr<ports::Secrets> open_secrets(std::string state_directory);

}  // namespace vtmirror::mirror
