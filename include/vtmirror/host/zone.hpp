// A time zone of the system's database, with the rules of its far future too.
// Never reads the clock, and never follows TZ: the zone is the one that was named.
#pragma once

#include "vtmirror/base/result.hpp"
#include "vtmirror/core/schedule.hpp"

#include <memory>
#include <string>

namespace vtmirror::host {

/// `iana_name`: "Europe/London". Errors: config, for a name that the system does not know.
base::Result<std::unique_ptr<core::Zone>> load_zone(const std::string& iana_name);

}  // namespace vtmirror::host
