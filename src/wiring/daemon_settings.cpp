#include "wiring/daemon_settings.hpp"

#include "vtmirror/settings/load.hpp"
#include "vtmirror/settings/restart.hpp"
#include "vtmirror/wiring/agent_settings.hpp"

#include <utility>

namespace vtmirror::wiring {

base::Result<agent::DaemonSettings> daemon_settings(const settings::Config& config,
                                                    const settings::Environment& environment) {
  auto secrets = read_secrets(config, environment);
  if (!secrets) return secrets.error();
  auto health = health_settings(config);
  if (!health) return health.error();
  if (auto kept = settings::keep_given(secrets->client_secret, *secrets->kept); !kept) return kept.error();
  auto credentials = credential_settings(config, *secrets);
  if (!credentials) return credentials.error();
  health->credentials = std::move(*credentials);
  return agent::DaemonSettings{.service = service_settings(config, *secrets),
                               .cycle = cycle_settings(config, *secrets),
                               .health = std::move(*health),
                               .rotation = rotation_settings(config, *secrets),
                               .secrets = secrets->kept,
                               .scrub = config.mirror.scrub};
}

base::Result<settings::Config> read_again(const RunOptions& options, const settings::Config& running,
                                          const settings::Environment& environment) {
  auto read = settings::load_config(options.config, environment);
  if (!read) return read.error();
  std::string mistakes;
  for (const auto& mistake : read->mistakes)
    mistakes += (mistakes.empty() ? "" : "\n") + settings::tell(options.config, mistake);
  if (!mistakes.empty()) return base::Error{base::Errc::config, mistakes};
  settings::resolve_paths(read->config, environment);
  if (options.socket) read->config.control.socket = *options.socket;
  std::string changed;
  for (const auto& key : settings::keys_needing_restart(running, read->config))
    changed += (changed.empty() ? "" : ", ") + key;
  if (!changed.empty())
    return base::Error{.code = base::Errc::config,
                       .detail = "a running daemon cannot change " + changed + ": restart it",
                       .subject = changed};
  return std::move(read->config);
}

}  // namespace vtmirror::wiring
