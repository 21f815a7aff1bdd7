// The configuration in the words of the rooms below.
#pragma once

#include "cli/config.hpp"
#include "cli/secrets.hpp"
#include "vtmirror/agent/agent.hpp"
#include "vtmirror/agent/health.hpp"
#include "vtmirror/mirror/directory.hpp"
#include "vtmirror/net/http.hpp"

namespace vtmirror::cli {

agent::ServiceSettings service_settings(const Config& config, const Secrets& secrets);
agent::CycleSettings cycle_settings(const Config& config);
net::HttpSettings http_settings(const Config& config);
mirror::DirectorySettings directory_settings(const Config& config);
core::Schedule schedule_of(const Config& config);
/// Errors: config, for a time zone that this machine does not know.
base::Result<agent::HealthSettings> health_settings(const Config& config);

}  // namespace vtmirror::cli
