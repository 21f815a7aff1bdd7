#include "wiring/daemon_settings.hpp"

#include "vtmirror/host/host.hpp"
#include "vtmirror/report/sentence.hpp"
#include "vtmirror/settings/keys.hpp"
#include "vtmirror/settings/load.hpp"
#include "vtmirror/wiring/agent_settings.hpp"
#include "vtmirror/wiring/machine.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

namespace vtmirror::wiring {

namespace {

base::Result<agent::DaemonSettings> settings_with(const settings::Config& config, Secrets secrets) {
  auto health = health_settings(config);
  if (!health) return health.error();
  if (auto kept = settings::keep_given(secrets.client_secret, *secrets.kept); !kept) return kept.error();
  auto credentials = credential_settings(config, secrets);
  if (!credentials) return credentials.error();
  health->credentials = std::move(*credentials);
  return agent::DaemonSettings{.service = service_settings(config, secrets),
                               .cycle = cycle_settings(config, secrets),
                               .health = std::move(*health),
                               .rotation = rotation_settings(config, secrets),
                               .secrets = secrets.kept,
                               .scrub = config.mirror.scrub};
}

}  // namespace

base::Result<agent::DaemonSettings> daemon_settings(const settings::Config& config,
                                                    const settings::Environment& environment) {
  auto secrets = read_secrets(config, environment);
  if (!secrets) return secrets.error();
  return settings_with(config, std::move(*secrets));
}

namespace {

/// "line 3: schedule.at: \"25:99\" is no time"
std::string words_of(const settings::Mistake& mistake) {
  const auto line = mistake.at.line > 0 ? "line " + std::to_string(mistake.at.line) + ": " : std::string();
  return line + (mistake.key.empty() ? "" : mistake.key + ": ") + mistake.what;
}

/// Each of them once.
std::vector<core::Field> fields_of(const char* key, const std::vector<std::string>& words) {
  std::vector<core::Field> fields;
  for (const auto& each : words) {
    core::Field field{key + std::to_string(fields.size() + 1), each};
    if (std::ranges::find(fields, field.value, &core::Field::value) == fields.end()) fields.push_back(std::move(field));
  }
  return fields;
}

}  // namespace

std::variant<NewSettings, core::Cause> read_again(const RunOptions& options, const settings::Config& running,
                                                  const settings::Environment& environment) {
  core::Cause refusal{.code = base::Errc::config, .subject = options.config};
  auto read = settings::load_config(options.config, environment);
  if (!read) return core::cause_of(read.error(), options.config);
  std::vector<std::string> mistakes;
  std::ranges::transform(read->mistakes, std::back_inserter(mistakes), words_of);
  refusal.fields = fields_of(report::mistake_field, mistakes);
  if (!refusal.fields.empty()) return refusal;
  settings::resolve_paths(read->config, environment);
  if (options.socket) read->config.control.socket = *options.socket;
  refusal.fields = fields_of(report::restart_field, settings::keys_needing_restart(running, read->config));
  if (!refusal.fields.empty()) return refusal;
  auto secrets = try_secrets(read->config, environment);
  if (const auto* error = std::get_if<base::Error>(&secrets)) return core::cause_of(*error, options.config);
  if (const auto* wrong = std::get_if<SecretMistakes>(&secrets)) {
    refusal.code = wrong->code;
    refusal.fields = fields_of(report::mistake_field, wrong->lines);
    return refusal;
  }
  auto daemon = settings_with(read->config, std::get<Secrets>(std::move(secrets)));
  if (!daemon) return core::cause_of(daemon.error(), options.config);
  return NewSettings{std::move(read->config), std::move(*daemon)};
}

std::unique_ptr<ports::Journal> daemon_journal(const RunOptions& options, const settings::Environment& environment) {
  const auto least = options.log_level.value_or(ports::Level::info);
  if (host::stderr_is_the_journal()) return host::make_journald_journal(least);
  return stderr_journal(least, options.colour, environment);
}

std::string address_setting(const control::ControlSettings& control) {
  if (control.web.empty()) return "control.metrics";
  return control.metrics.empty() ? "control.web" : "control.metrics or control.web";
}

}  // namespace vtmirror::wiring
