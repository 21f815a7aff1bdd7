// The running cycle in the JSON of a status, written and parsed. Pure. Never contains a link or a secret.
#pragma once

#include "vtmirror/base/json.hpp"
#include "vtmirror/report/status.hpp"

#include <boost/json.hpp>

namespace vtmirror::report {

boost::json::object cycle_object(const CycleStatus& cycle);
/// A fault of the JSON is noted in `fields`.
CycleStatus parse_cycle(const base::JsonObject& fields);

}  // namespace vtmirror::report
