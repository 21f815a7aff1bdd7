// The machine's clock and the time zone of this process, for code that has no `ports::Clock`: commands, and what people
// read. Never waits.
#pragma once

#include "vtmirror/base/time.hpp"

#include <chrono>

namespace vtmirror::host {

base::Time machine_now();

/// How far the local time is ahead of UTC at that instant, by TZ or else by the machine's zone.
std::chrono::seconds utc_offset(base::Time time);

}  // namespace vtmirror::host
