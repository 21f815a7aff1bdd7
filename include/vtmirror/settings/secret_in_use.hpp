// Which client secret is in use, and why: the one that settings or systemd give, or the one that the state directory
// keeps since a rotation. Never tells anything of the contents but a fingerprint.
#pragma once

#include "vtmirror/ports/secrets.hpp"
#include "vtmirror/settings/secret_file.hpp"

#include <optional>
#include <string>

namespace vtmirror::settings {

struct SecretInUse {
  base::Secret secret;
  SecretFile file;
  bool kept = false;  ///< it lies in the state directory
  std::string why;    ///< "it is the only one", with no secret in it
  std::string fingerprint;
  std::optional<core::SecretIssue> issue;  ///< of this very secret
  std::optional<std::string> given;        ///< as `core::SecretIssue::given` says
};

/// Errors: config (none is there, or the one to use is refused), io (the state directory).
base::Result<SecretInUse> secret_in_use(const Config& config, const Environment& environment, ports::Secrets& secrets);

/// Pins, in the daemon, which given secret the one in use replaced where that could not be known when it was kept.
base::Result<void> keep_given(SecretInUse& in_use, ports::Secrets& secrets);

/// What the catalogue knows a secret by: with its client, so that a corrected client_id is a new beginning.
base::Result<std::string> credential_fingerprint(const Config& config, const base::Secret& secret,
                                                 ports::Secrets& secrets);

}  // namespace vtmirror::settings
