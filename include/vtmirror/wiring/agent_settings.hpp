// Converts the settings to the types of the rooms below.
#pragma once

#include "vtmirror/agent/agent.hpp"
#include "vtmirror/agent/health.hpp"
#include "vtmirror/control/control.hpp"
#include "vtmirror/mirror/directory.hpp"
#include "vtmirror/net/http.hpp"
#include "vtmirror/settings/config.hpp"
#include "vtmirror/wiring/secrets.hpp"

namespace vtmirror::wiring {

agent::ServiceSettings service_settings(const settings::Config& config, const Secrets& secrets);
agent::CycleSettings cycle_settings(const settings::Config& config);
net::HttpSettings http_settings(const settings::Config& config);
mirror::DirectorySettings directory_settings(const settings::Config& config);
control::ControlSettings control_settings(const settings::Config& config);
core::Schedule schedule_of(const settings::Config& config);
/// Errors: config if this machine does not know the time zone.
base::Result<agent::HealthSettings> health_settings(const settings::Config& config);

}  // namespace vtmirror::wiring
