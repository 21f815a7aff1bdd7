#include "vtmirror/wiring/secrets.hpp"

#include "wiring/unusable.hpp"

#include "vtmirror/mirror/secrets.hpp"
#include "vtmirror/report/advice.hpp"
#include "vtmirror/wiring/agent_settings.hpp"

#include <utility>

namespace vtmirror::wiring {
namespace {

void append_line(std::string& text, const std::string& line) { text += (text.empty() ? "" : "\n") + line; }

}  // namespace

base::Result<Secrets> read_secrets(const settings::Config& config, const settings::Environment& environment) {
  std::shared_ptr<ports::Secrets> kept = mirror::open_secrets(config.mirror.state_directory);
  auto secret = settings::secret_in_use(config, environment, *kept);
  // The key for the secrets' fingerprints lies in the state directory too.
  if (secret.has_error() && secret.error().code == base::Errc::io)
    return unusable("mirror.state_directory", config.mirror.state_directory, secret.error());
  auto key = settings::read_secret(settings::find_secret(config, settings::api_key, environment));
  std::string wrong;
  if (secret.has_error()) append_line(wrong, "credentials.client_secret_file: " + secret.error().detail);
  if (key.has_error()) append_line(wrong, "credentials.api_key_file: " + key.error().detail);
  if (!wrong.empty()) return base::Error{base::Errc::config, wrong + "\nsee `vtmirror config check`"};
  return Secrets{std::move(*secret), std::move(*key), std::move(kept)};
}

agent::RotationSettings rotation_settings(const settings::Config& config, const Secrets& secrets) {
  agent::RotationSettings settings;
  settings.service = service_settings(config, secrets);
  settings.credentials_path = config.service.credentials_path;
  settings.credentials_method = config.service.credentials_method;
  settings.key_property = config.service.credentials_key_property;
  settings.email = config.credentials.email;
  settings.secret_expires_on = config.credentials.secret_expires_on;
  settings.given = secrets.client_secret.given;
  return settings;
}

base::Result<agent::CredentialSettings> credential_settings(const settings::Config& config, const Secrets& secrets) {
  auto secret = settings::credential_fingerprint(config, secrets.client_secret.secret, *secrets.kept);
  if (!secret) return secret.error();
  auto key = secrets.kept->fingerprint(secrets.api_key);
  if (!key) return key.error();
  agent::CredentialSettings settings;
  settings.secret_fingerprint = std::move(*secret);
  settings.key_fingerprint = std::move(*key);
  settings.secret_expires_on = config.credentials.secret_expires_on;
  settings.issue = secrets.client_secret.issue;
  settings.warn_days = config.credentials.warn_days;
  settings.auto_rotate = config.credentials.auto_rotate;
  return settings;
}

}  // namespace vtmirror::wiring
