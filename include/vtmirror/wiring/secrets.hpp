// The client secret and the API key of a run, and their records.
// Promises that mistakes in both are reported together.
#pragma once

#include "vtmirror/agent/daemon.hpp"
#include "vtmirror/settings/secret_in_use.hpp"

#include <memory>

namespace vtmirror::wiring {

struct Secrets {
  settings::SecretInUse client_secret;
  base::Secret api_key;
  std::shared_ptr<ports::Secrets> kept;  ///< where a new secret is stored
};

/// Both, or an error with a line for each that is wrong ("credentials.api_key_file: ..."). Errors: config, io.
base::Result<Secrets> read_secrets(const settings::Config& config, const settings::Environment& environment);

/// For a rotation, and for the daemon's watch. Errors: io.
agent::RotationSettings rotation_settings(const settings::Config& config, const Secrets& secrets);
base::Result<agent::CredentialSettings> credential_settings(const settings::Config& config, const Secrets& secrets);

}  // namespace vtmirror::wiring
