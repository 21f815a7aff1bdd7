// What a consumer's way is made of: the deltas that the service has ever listed, in the order in which they are loaded,
// and why one cannot be loaded now. Leaves out a refused entry of a day that another entry has. Never looks at a disk.
#pragma once

#include "vtmirror/core/calendar.hpp"
#include "vtmirror/core/consumer.hpp"

#include <optional>
#include <string>
#include <vector>

namespace vtmirror::core {

/// From that day on, and before `to` where that is given, by date and name. They point into the calendar.
std::vector<const ListedFile*> deltas(const Calendar& calendar, base::Date from, std::optional<base::Date> to = {});

/// In the words of the chain, if it lacks that file.
LoadWhy why_missing(const Chain& chain, const std::string& name, base::Date day);

}  // namespace vtmirror::core
