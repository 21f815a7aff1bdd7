// A time zone of the system's database, including its rules for the far future.
// Never reads the clock, and ignores TZ: the zone is always the named one.
#pragma once

#include "vtmirror/base/result.hpp"
#include "vtmirror/core/schedule.hpp"

#include <memory>
#include <string>

namespace vtmirror::host {

/// `iana_name`: "Europe/London". Errors: config, for a name that is not in the system's database.
base::Result<std::unique_ptr<core::Zone>> load_zone(const std::string& iana_name);

}  // namespace vtmirror::host
