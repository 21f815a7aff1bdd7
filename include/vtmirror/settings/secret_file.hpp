// Where a secret lies, and the secret itself.
// Promises that a file that others can read is refused. Never tells anything of the contents.
#pragma once

#include "vtmirror/base/result.hpp"
#include "vtmirror/base/secret.hpp"
#include "vtmirror/settings/config.hpp"
#include "vtmirror/settings/environment.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace vtmirror::settings {

/// The two secrets, for `find_secret`: the setting's key without `_file`, and the file's name where no setting names
/// one.
inline constexpr std::string_view client_secret = "client_secret";
inline constexpr std::string_view api_key = "api_key";

struct SecretFile {
  std::string path;           ///< of the file to read; where none exists, of the last place looked at
  bool set = false;           ///< named in the configuration
  bool from_systemd = false;  ///< in $CREDENTIALS_DIRECTORY, whose access list shows as bits of the group
  bool exists = false;
  std::vector<std::string> looked_in;  ///< every place, in order
};

/// $CREDENTIALS_DIRECTORY; for a command that is run by hand, the directory that systemd keeps for the running daemon,
/// where this process may enter it; else empty.
std::string credentials_directory(const Environment& environment);

/// The state directory's own file, which a rotation writes.
SecretFile kept_secret(const Config& config);

/// The setting; else $CREDENTIALS_DIRECTORY/NAME; else NAME in the state directory. `config`'s paths are resolved.
SecretFile find_secret(const Config& config, std::string_view name, const Environment& environment);

/// Reads at most 4 KiB and drops one newline at the end. Errors (config): missing, no regular file, readable by others,
/// empty, too long, not printable.
base::Result<base::Secret> read_secret(const SecretFile& file);

}  // namespace vtmirror::settings
