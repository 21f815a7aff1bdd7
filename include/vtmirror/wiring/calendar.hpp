// What the calendar of days needs beside the catalogue: today and the awaited day, by the schedule.
// Never reads a clock.
#pragma once

#include "vtmirror/base/result.hpp"
#include "vtmirror/core/days.hpp"
#include "vtmirror/settings/config.hpp"

namespace vtmirror::wiring {

/// Errors: config, if the system has no such time zone.
base::Result<core::DayFacts> day_facts(const settings::Config& config, base::Time now);

}  // namespace vtmirror::wiring
