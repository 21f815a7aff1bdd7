// Decides which client secret is in use: the one given by the settings or by systemd, or the one kept in the state
// directory since a rotation. Reveals nothing of the contents but a fingerprint.
#pragma once

#include "vtmirror/ports/secrets.hpp"
#include "vtmirror/settings/secret_file.hpp"

#include <optional>
#include <string>

namespace vtmirror::settings {

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
base::Result<SecretInUse> secret_in_use(const Config& config, const Environment& environment, ports::Secrets& secrets);

/// Called by the daemon: records which given secret was replaced by the kept one, if that was unknown when it was kept.
base::Result<void> keep_given(SecretInUse& in_use, ports::Secrets& secrets);

/// Identifies the credentials in the catalogue. Includes the client ID, so that a corrected one counts as new.
base::Result<std::string> credential_fingerprint(const Config& config, const base::Secret& secret,
                                                 ports::Secrets& secrets);

}  // namespace vtmirror::settings
