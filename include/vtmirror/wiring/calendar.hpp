// What the calendar of days needs beside the catalogue, by the schedule: today, the awaited day, and the last day whose
// tries the newest listing has seen.
// Never reads a clock.
#pragma once

#include "vtmirror/base/result.hpp"
#include "vtmirror/core/days.hpp"
#include "vtmirror/settings/config.hpp"

#include <optional>

namespace vtmirror::wiring {

/// Errors: config, if the system has no such time zone.
base::Result<core::DayFacts> day_facts(const settings::Config& config, base::Time now);

/// For `core::DayFacts::settled`. Empty if no listing was read. Errors: as above.
base::Result<std::optional<base::Date>> settled_day(const settings::Config& config,
                                                    const std::optional<base::Time>& listed_at);

}  // namespace vtmirror::wiring
