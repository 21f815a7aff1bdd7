// Checks the dates and the kind that a listed file's name states.
#pragma once

#include "vtmirror/base/result.hpp"
#include "vtmirror/base/time.hpp"
#include "vtmirror/core/listing.hpp"

#include <optional>
#include <string_view>
#include <vector>

namespace vtmirror::core {

/// What follows the kind in the service's file names, before the day (vtmirror-service(7) 2.2).
inline constexpr std::string_view service_stem = "-light-vehicle";

std::vector<std::string_view> parts_of(std::string_view name);

/// The last part of `name` without its day, "bulk-light-vehicle"; empty if the name does not end in a day.
std::string_view stem_of(std::string_view name);

/// The day that ends `name`, "_18-11-2026.zip"; empty if it ends in none, or in one that does not exist.
std::optional<base::Date> day_of_name(std::string_view name);

/// Ok if every date in the name ("_18-11-2026.zip", "year=2026/month=11/day=18") is `created`, or the name has none.
base::Result<void> check_dates(std::string_view name, base::Date created);

/// Refused if the name is below the other kind's directory and not below its own.
base::Result<void> check_kind(std::string_view name, Kind kind);

}  // namespace vtmirror::core
