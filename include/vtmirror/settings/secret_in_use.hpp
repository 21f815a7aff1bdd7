// Decides which client secret is in use: the one given by the settings or by systemd, or the one kept in the state
// directory since a rotation. Reveals nothing of the contents but a fingerprint. Also where a secret lies.
#pragma once

#include "vtmirror/base/result.hpp"
#include "vtmirror/base/secret.hpp"
#include "vtmirror/ports/secrets.hpp"
#include "vtmirror/settings/config.hpp"
#include "vtmirror/settings/load.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace vtmirror::settings {

// Finds and reads the files of secrets.
// Promises that a file that others can read is refused. Never reveals anything of the contents.

/// The two secrets, for `find_secret`: the setting's key without `_file`, which is also the default file name.
inline constexpr std::string_view client_secret = "client_secret";
inline constexpr std::string_view api_key = "api_key";

struct SecretFile {
  std::string path;           ///< of the file to read; if none exists, the last place searched
  bool set = false;           ///< named in the settings
  bool from_systemd = false;  ///< in $CREDENTIALS_DIRECTORY, whose ACL appears as group bits of the mode
  bool exists = false;
  std::vector<std::string> looked_in;  ///< every place searched, in order
};

/// $CREDENTIALS_DIRECTORY; in a command that a person runs, the directory that systemd keeps for the running daemon, if
/// this process may enter it; else empty.
std::string credentials_directory(const Environment& environment);

/// Where systemd loads the secret from for the service (systemd/vtmirror.service). Only root can look there.
std::string stored_credential(std::string_view name);

/// The secret in the state directory, which a rotation writes.
SecretFile kept_secret(const Config& config);

/// The file that the setting names; else $CREDENTIALS_DIRECTORY/NAME, or, for root while no daemon of that user runs,
/// the file from which systemd would load it; else NAME in the state directory. The paths of `config` must be resolved.
SecretFile find_secret(const Config& config, std::string_view name, const Environment& environment);

/// Reads at most 4 KiB and drops one newline at the end. Errors (config): missing, not a regular file, readable by
/// others, empty, too long, not printable.
base::Result<base::Secret> read_secret(const SecretFile& file);

/// A file and its secret, or why it is refused.
struct ReadSecret {
  SecretFile file{};
  base::Result<base::Secret> secret = base::Error{};
};

/// Every file that may hold a secret of a run, read once: by a process that gives up the right to read them afterwards.
struct SecretFiles {
  ReadSecret given;          ///< the client secret of the settings or of systemd
  ReadSecret kept;           ///< the client secret in the state directory
  ReadSecret key;            ///< the API key
  bool knows_given = false;  ///< whether it is certain that there is no other given one
};

/// The paths of `config` must be resolved.
SecretFiles read_secret_files(const Config& config, const Environment& environment);

struct SecretInUse {
  base::Secret secret;
  SecretFile file;
  bool kept = false;  ///< it is the one in the state directory
  std::string why;    ///< the reason for the choice, without any secret
  std::string fingerprint;
  std::optional<core::SecretIssue> issue;  ///< how this secret was issued
  std::optional<std::string> given;        ///< see `core::SecretIssue::given`
};

/// Errors: config (there is none, or the file of the chosen one is refused), io (the state directory).
base::Result<SecretInUse> secret_in_use(const SecretFiles& files, ports::Secrets& secrets);

/// Called by the daemon: records which given secret was replaced by the kept one, if that was unknown when it was kept.
base::Result<void> keep_given(SecretInUse& in_use, ports::Secrets& secrets);

/// Identifies the credentials in the catalogue. Includes the client ID, so that a corrected one counts as new.
base::Result<std::string> credential_fingerprint(const Config& config, const base::Secret& secret,
                                                 ports::Secrets& secrets);

}  // namespace vtmirror::settings
