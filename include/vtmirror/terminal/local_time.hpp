// The local time: the UTC offset of this process's time zone.
#pragma once

#include "vtmirror/base/time.hpp"

namespace vtmirror::terminal {

base::Time machine_now();

std::chrono::seconds utc_offset(base::Time time);

}  // namespace vtmirror::terminal
