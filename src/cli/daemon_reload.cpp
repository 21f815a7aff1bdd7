#include "cli/daemon_reload.hpp"

#include "cli/agent_settings.hpp"
#include "cli/config_load.hpp"
#include "cli/secrets.hpp"

#include <utility>

namespace vtmirror::cli {
namespace {

/// What is opened once, at the start.
std::string changed_for_good(const Config& a, const Config& b) {
  const std::pair<const char*, bool> keys[] = {
      {"mirror.state_directory", a.mirror.state_directory == b.mirror.state_directory},
      {"mirror.directory", a.mirror.directory == b.mirror.directory},
      {"mirror.catalogue", a.mirror.catalogue == b.mirror.catalogue},
      {"control.socket", a.control.socket == b.control.socket},
      {"control.group", a.control.group == b.control.group},
      {"control.metrics", a.control.metrics == b.control.metrics},
      {"service.ca_file", a.service.ca_file == b.service.ca_file},
      {"service.proxy", a.service.proxy == b.service.proxy},
      {"service.allow_http", a.service.allow_http == b.service.allow_http},
      {"download.stall_timeout", a.download.stall_timeout == b.download.stall_timeout},
  };
  std::string changed;
  for (const auto& [key, same] : keys)
    if (!same) changed += (changed.empty() ? "" : ", ") + std::string(key);
  return changed;
}

}  // namespace

base::Result<agent::DaemonSettings> daemon_settings(const Config& config, const Environment& environment) {
  auto secrets = read_secrets(config, environment);
  if (!secrets) return secrets.error();
  auto health = health_settings(config);
  if (!health) return health.error();
  if (auto kept = keep_given(secrets->client_secret, *secrets->kept); !kept) return kept.error();
  auto credentials = credential_settings(config, *secrets);
  if (!credentials) return credentials.error();
  health->credentials = std::move(*credentials);
  return agent::DaemonSettings{.service = service_settings(config, *secrets),
                               .cycle = cycle_settings(config),
                               .health = std::move(*health),
                               .rotation = rotation_settings(config, *secrets),
                               .secrets = secrets->kept};
}

base::Result<Config> read_again(const Arguments& arguments, const Config& running, const Environment& environment) {
  auto read = load_config(arguments.config);
  if (!read) return read.error();
  std::string mistakes;
  for (const auto& mistake : read->mistakes)
    mistakes += (mistakes.empty() ? "" : "\n") + tell(arguments.config, mistake);
  if (!mistakes.empty()) return base::Error{base::Errc::config, mistakes};
  resolve_paths(read->config, environment);
  if (arguments.socket) read->config.control.socket = *arguments.socket;
  const auto changed = changed_for_good(running, read->config);
  if (!changed.empty())
    return base::Error{base::Errc::config, "a running daemon cannot change " + changed + ": restart it"};
  return std::move(read->config);
}

}  // namespace vtmirror::cli
