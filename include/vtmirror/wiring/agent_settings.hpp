// Converts the settings to the types of the rooms below, and reads the secrets that a run works with.
// Never prints a secret and never uses the network.
#pragma once

#include "vtmirror/agent/agent.hpp"
#include "vtmirror/agent/daemon.hpp"
#include "vtmirror/agent/health.hpp"
#include "vtmirror/control/control.hpp"
#include "vtmirror/mirror/directory.hpp"
#include "vtmirror/net/http.hpp"
#include "vtmirror/settings/config.hpp"
#include "vtmirror/settings/secret_in_use.hpp"

#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace vtmirror::wiring {

/// The client secret and the API key of a run, and their records.
/// Promises that mistakes in both are reported together.
struct Secrets {
  settings::SecretInUse client_secret;
  base::Secret api_key;
  std::shared_ptr<ports::Secrets> kept;  ///< where a new secret is stored
};

/// What is wrong with the files of the secrets.
struct SecretMistakes {
  base::Errc code{};               ///< io if all of them may pass, otherwise config
  std::vector<std::string> lines;  ///< "credentials.api_key_file: there is no ...", one a file
};
/// Both, or the mistakes in them, each by itself, or why the state directory cannot be used.
std::variant<Secrets, SecretMistakes, base::Error> try_secrets(const settings::Config& config,
                                                               const settings::Environment& environment);

/// Both, or an error with a line for each that is wrong ("credentials.api_key_file: ..."). Errors: config, io.
base::Result<Secrets> read_secrets(const settings::Config& config, const settings::Environment& environment);
/// The same from files that were read before.
base::Result<Secrets> use_secrets(const settings::Config& config, const settings::SecretFiles& files);
/// The same for a process that changes nothing: neither the state directory nor a key for the fingerprints is created.
base::Result<Secrets> look_at_secrets(const settings::Config& config, const settings::SecretFiles& files);

/// For a rotation, and for the daemon's watch. Errors: io.
agent::RotationSettings rotation_settings(const settings::Config& config, const Secrets& secrets);
base::Result<agent::CredentialSettings> credential_settings(const settings::Config& config, const Secrets& secrets);

agent::ServiceSettings service_settings(const settings::Config& config, const Secrets& secrets);
/// With the fingerprint of all settings but hooks, both credentials and the certificates of service.ca_file; without it
/// if no fingerprint can be made.
agent::CycleSettings cycle_settings(const settings::Config& config, const Secrets& secrets);
/// What of them works without the service and without a secret: checks, retention, quarantine and consumers.
agent::CycleSettings upkeep_settings(const settings::Config& config);
net::HttpSettings http_settings(const settings::Config& config);
mirror::DirectorySettings directory_settings(const settings::Config& config);
control::ControlSettings control_settings(const settings::Config& config);
core::Policy policy_of(const settings::Config& config);
core::ConsumerRules consumer_rules(const settings::Config& config);
core::Schedule schedule_of(const settings::Config& config);
/// Errors: config if this machine does not know the time zone.
base::Result<agent::HealthSettings> health_settings(const settings::Config& config);

}  // namespace vtmirror::wiring
