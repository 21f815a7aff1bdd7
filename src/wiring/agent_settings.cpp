#include "vtmirror/wiring/agent_settings.hpp"

#include "version.hpp"
#include "vtmirror/host/zone.hpp"
#include "vtmirror/wiring/catalogue_rescue.hpp"

#include <chrono>
#include <string>

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

agent::CycleSettings cycle_settings(const settings::Config& config) {
  agent::CycleSettings settings;
  settings.parallel_files = config.download.parallel_files;
  settings.connections = config.download.connections;
  settings.rate_limit = config.download.rate_limit.bytes_a_second;
  settings.attempts = config.download.attempts;
  settings.check = {.zip = config.mirror.verify == "zip", .digest = config.mirror.digest == "sha256"};
  settings.policy = {.keep_cycles = config.mirror.keep_cycles, .reserve = config.mirror.reserve.bytes};
  return settings;
}

net::HttpSettings http_settings(const settings::Config& config) {
  net::HttpSettings settings;
  settings.ca_file = config.service.ca_file;
  settings.proxy = config.service.proxy;
  settings.allow_http = config.service.allow_http;
  settings.stall_timeout = config.download.stall_timeout;
  settings.user_agent = std::string("vtmirror/") + version;
  return settings;
}

mirror::DirectorySettings directory_settings(const settings::Config& config) {
  return {.directory = config.mirror.directory};
}

control::ControlSettings control_settings(const settings::Config& config) {
  return {.socket = config.control.socket, .group = config.control.group, .metrics = config.control.metrics};
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
                               .catalogue_rebuilt = rebuilt_problem(config.mirror.catalogue)};
}

}  // namespace vtmirror::wiring
