// How long the disk lasts, and what a smaller mirror.keep_cycles would free: in words, as JSON, and read from it. Pure.
#pragma once

#include "vtmirror/base/json.hpp"
#include "vtmirror/core/forecast.hpp"

#include <boost/json/object.hpp>

#include <optional>
#include <string>

namespace vtmirror::report {

/// "lasts until about 2027-01-03 (41 days) at the present growth: 38.2 GB every 7 days". Says so if it is not known.
std::string lasts(const core::Outlook& outlook);
/// "mirror.keep_cycles = 3 would free 38.2 GB, 2 would free 76.4 GB"; empty if no setting would free anything.
std::string would_free(const core::Outlook& outlook);

/// The object `forecast` of vtmirror-api(7).
boost::json::object forecast_json(const core::Outlook& outlook);
core::Outlook parse_forecast(const base::JsonObject& object);

}  // namespace vtmirror::report
