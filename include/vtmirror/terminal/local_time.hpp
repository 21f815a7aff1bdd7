// The reader's clock: what this process's time zone adds to UTC.
#pragma once

#include "vtmirror/base/time.hpp"

namespace vtmirror::terminal {

base::Time machine_now();

std::chrono::seconds utc_offset(base::Time time);

}  // namespace vtmirror::terminal
