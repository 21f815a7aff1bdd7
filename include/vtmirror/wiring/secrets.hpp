// The client secret and the API key that a run works with, and what is known of them.
// Promises that what is wrong with either is told at once.
#pragma once

#include "vtmirror/agent/daemon.hpp"
#include "vtmirror/settings/secret_in_use.hpp"

#include <memory>

namespace vtmirror::wiring {

struct Secrets {
  settings::SecretInUse client_secret;
  base::Secret api_key;
  std::shared_ptr<ports::Secrets> kept;  ///< where a new secret goes
};

/// Both, or what is wrong with either ("credentials.api_key_file: ...", a line each). Errors: config, io.
base::Result<Secrets> read_secrets(const settings::Config& config, const settings::Environment& environment);

/// For a rotation, and for the daemon's watch. Errors: io.
agent::RotationSettings rotation_settings(const settings::Config& config, const Secrets& secrets);
base::Result<agent::CredentialSettings> credential_settings(const settings::Config& config, const Secrets& secrets);

}  // namespace vtmirror::wiring
