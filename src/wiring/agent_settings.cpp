#include "vtmirror/wiring/agent_settings.hpp"

#include "version.hpp"
#include "vtmirror/host/host.hpp"
#include "vtmirror/host/local_time.hpp"
#include "vtmirror/mirror/secrets.hpp"
#include "vtmirror/report/advice.hpp"
#include "vtmirror/settings/keys.hpp"
#include "vtmirror/wiring/catalogue_rescue.hpp"
#include "wiring/unusable.hpp"

#include <chrono>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>

namespace vtmirror::wiring {

agent::ServiceSettings service_settings(const settings::Config& config, const Secrets& secrets) {
  agent::ServiceSettings settings;
  settings.base_url = config.service.base_url;
  settings.token_url = config.service.token_url;
  settings.scope = config.service.scope;
  settings.listing_path = config.service.listing_path;
  settings.allow_http = config.service.allow_http;
  settings.client_id = config.credentials.client_id;
  settings.client_secret = secrets.client_secret.secret;
  settings.api_key = secrets.api_key;
  return settings;
}

namespace {

/// Empty if it cannot be read, which is reported elsewhere.
std::string content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// With the secrets that addresses contain.
std::string spelled(settings::Config config) {
  std::string text;
  for (const auto& key : settings::config_keys())
    text += key.path() + '=' + std::visit([&](auto place) { return settings::spell(place(config)); }, key.place) + '\n';
  return text;
}

std::string fingerprint_of(const settings::Config& config, const Secrets& secrets) {
  std::string text = spelled(config);
  for (const auto* secret : {&secrets.client_secret.secret, &secrets.api_key}) text += secret->reveal() + '\n';
  text += content_of(config.service.ca_file);
  auto fingerprint = secrets.kept->fingerprint(base::Secret(std::move(text)));
  return fingerprint ? std::move(*fingerprint) : std::string();
}

/// A zone that cannot be loaded was a mistake in the settings: the limit without periods is left.
core::RateRules rate_rules(const settings::Config& config) {
  core::RateRules rules{.bytes_a_second = config.download.rate_limit.bytes_a_second, .periods = {}, .zone = {}};
  if (config.download.rate_timetable.empty()) return rules;
  auto zone = host::load_zone(config.schedule.time_zone);
  if (!zone) return rules;
  rules.periods = config.download.rate_timetable;
  rules.zone = std::move(*zone);
  return rules;
}

}  // namespace

core::Policy policy_of(const settings::Config& config) {
  const auto& mirror = config.mirror;
  return {.keep_cycles = mirror.keep_cycles, .reserve = mirror.reserve.bytes, .quarantine = mirror.quarantine};
}

agent::CycleSettings upkeep_settings(const settings::Config& config) {
  agent::CycleSettings settings;
  using settings::Digest, settings::VerifyBy;
  settings.check = {.zip = settings::chosen<VerifyBy>(config.mirror.verify, settings::verify_words) == VerifyBy::zip,
                    .digest = settings::chosen<Digest>(config.mirror.digest, settings::digest_words) == Digest::sha256};
  settings.policy = policy_of(config);
  settings.consumers = consumer_rules(config);
  return settings;
}

agent::CycleSettings cycle_settings(const settings::Config& config, const Secrets& secrets) {
  auto settings = upkeep_settings(config);
  settings.parallel_files = config.download.parallel_files;
  settings.connections = config.download.connections;
  settings.connections_max = config.download.connections_max;
  settings.rate = rate_rules(config);
  settings.attempts = config.download.attempts;
  settings.fingerprint = fingerprint_of(config, secrets);
  return settings;
}

core::ConsumerRules consumer_rules(const settings::Config& config) {
  const auto& consumers = config.consumers;
  return {.strict = consumers.strict,
          .reload_every = consumers.reload_every,
          .lease = consumers.lease,
          .forget = consumers.forget};
}

net::HttpSettings http_settings(const settings::Config& config) {
  net::HttpSettings settings;
  settings.ca_file = config.service.ca_file;
  settings.proxy = config.service.proxy;
  settings.no_proxy = config.service.no_proxy;
  settings.allow_http = config.service.allow_http;
  settings.stall_timeout = config.download.stall_timeout;
  settings.user_agent = std::string("vtmirror/") + version;
  return settings;
}

mirror::DirectorySettings directory_settings(const settings::Config& config) {
  return {.directory = config.mirror.directory};
}

control::ControlSettings control_settings(const settings::Config& config) {
  return {.socket = config.control.socket,
          .group = config.control.group,
          .metrics = config.control.metrics,
          .web = config.control.web};
}

core::Schedule schedule_of(const settings::Config& config) {
  core::Schedule schedule;
  schedule.at = std::chrono::hours(config.schedule.at.hour) + std::chrono::minutes(config.schedule.at.minute);
  schedule.splay = config.schedule.splay;
  schedule.retry = config.schedule.retry;
  schedule.give_up = config.schedule.give_up;
  return schedule;
}

base::Result<agent::HealthSettings> health_settings(const settings::Config& config) {
  auto zone = host::load_zone(config.schedule.time_zone);
  if (!zone) return zone.error();
  return agent::HealthSettings{.schedule = schedule_of(config),
                               .zone = std::shared_ptr<const core::Zone>(std::move(*zone)),
                               .catalogue_rebuilt = rebuilt_problem(config.mirror.catalogue),
                               .policy = policy_of(config),
                               .consumers = consumer_rules(config),
                               .utc_offset = &host::utc_offset};
}

namespace {

using TriedSecrets = std::variant<Secrets, SecretMistakes, base::Error>;

TriedSecrets try_from(std::shared_ptr<ports::Secrets> kept, const settings::Config& config,
                      const settings::SecretFiles& files) {
  auto secret = settings::secret_in_use(files, *kept);
  // The key for the secrets' fingerprints lies in the state directory too.
  const bool of_the_disk =
      secret.has_error() && (secret.error().code == base::Errc::io || secret.error().code == base::Errc::no_space);
  const bool of_its_file =
      secret.has_error() && !secret.error().subject.empty() &&
      (secret.error().subject == files.given.file.path || secret.error().subject == files.kept.file.path);
  if (of_the_disk && !of_its_file)
    return unusable("mirror.state_directory", config.mirror.state_directory, secret.error());
  const auto& key = files.key.secret;
  if (secret && key) return Secrets{std::move(*secret), *key, std::move(kept)};
  // Files that could not be read now, and no mistake beside them.
  const bool may_pass = (!secret.has_error() || secret.error().code == base::Errc::io) &&
                        (!key.has_error() || key.error().code == base::Errc::io);
  SecretMistakes wrong{.code = may_pass ? base::Errc::io : base::Errc::config, .lines = {}};
  if (!secret) wrong.lines.push_back("credentials.client_secret_file: " + secret.error().detail);
  if (!key) wrong.lines.push_back("credentials.api_key_file: " + key.error().detail);
  return wrong;
}

base::Result<Secrets> use_from(std::shared_ptr<ports::Secrets> kept, const settings::Config& config,
                               const settings::SecretFiles& files) {
  auto tried = try_from(std::move(kept), config, files);
  if (auto* secrets = std::get_if<Secrets>(&tried)) return std::move(*secrets);
  if (const auto* error = std::get_if<base::Error>(&tried)) return *error;
  const auto& wrong = std::get<SecretMistakes>(tried);
  std::string text;
  for (const auto& line : wrong.lines) text += (text.empty() ? "" : "\n") + line;
  if (wrong.code == base::Errc::config) text += "\nsee `vtmirror config check`";
  return base::Error{wrong.code, text};
}

}  // namespace

std::variant<Secrets, SecretMistakes, base::Error> try_secrets(const settings::Config& config,
                                                               const settings::Environment& environment) {
  return try_from(mirror::open_secrets(config.mirror.state_directory), config,
                  settings::read_secret_files(config, environment));
}

base::Result<Secrets> read_secrets(const settings::Config& config, const settings::Environment& environment) {
  return use_secrets(config, settings::read_secret_files(config, environment));
}

base::Result<Secrets> use_secrets(const settings::Config& config, const settings::SecretFiles& files) {
  return use_from(mirror::open_secrets(config.mirror.state_directory), config, files);
}

base::Result<Secrets> look_at_secrets(const settings::Config& config, const settings::SecretFiles& files) {
  return use_from(mirror::look_at_secrets(config.mirror.state_directory), config, files);
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
