// Answers consumers without a daemon, from the catalogue.
// Promises that nothing is changed while another process holds the mirror.
#pragma once

#include "vtmirror/base/result.hpp"
#include "vtmirror/base/time.hpp"
#include "vtmirror/ports/journal.hpp"
#include "vtmirror/settings/config.hpp"

#include <optional>
#include <string>

namespace vtmirror::wiring {

/// The JSON of `vtmirror next`. Errors: as `Machine::open`, catalogue, io, no_space.
base::Result<std::string> next_files(const settings::Config& config, ports::Journal& journal,
                                     const std::string& consumer);
/// The JSON of the answer. Errors: as `next_files`; http_status with the reason as its detail, for a ticket or a
/// consumer that is refused, as the daemon does.
base::Result<std::string> acknowledge(const settings::Config& config, ports::Journal& journal,
                                      const std::string& consumer, const std::string& ticket);
/// The same for a consumer that is to be dropped.
base::Result<std::string> forget_consumer(const settings::Config& config, ports::Journal& journal,
                                          const std::string& consumer);

/// The day of the delta that the service lists today. Errors: config.
base::Result<base::Date> todays_delta(const settings::Config& config, base::Time now);

/// The JSON of `vtmirror wait`, of the catalogue as it is now; `day`: empty for the newest day whose delta is due.
/// Errors: config, catalogue, io.
base::Result<std::string> chain_through(const settings::Config& config, std::optional<base::Date> day, base::Time now);

}  // namespace vtmirror::wiring
