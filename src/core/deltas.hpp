// The deltas that the service has ever listed, in the order in which they are loaded.
// Leaves out a refused entry of a day that another entry has. Never looks at what is held.
#pragma once

#include "vtmirror/core/calendar.hpp"

#include <vector>

namespace vtmirror::core {

/// From that day on, by date and name. They point into the calendar.
std::vector<const ListedFile*> deltas_since(const Calendar& calendar, base::Date from);

}  // namespace vtmirror::core
