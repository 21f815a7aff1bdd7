// A cause as JSON: the member `cause` of an error, of a file that could not be removed, of a finding and of a
// verification's end (vtmirror-api(7)). Promises that all of them have one form, that the JSON is UTF-8, and that what
// was read may be shown. Pure.
#pragma once

#include "vtmirror/base/json.hpp"
#include "vtmirror/core/cause.hpp"

#include <boost/json/object.hpp>

#include <optional>

namespace vtmirror::core {

/// {"code", "subject", "detail", "status", "fields": [{"key", "value"}]}; null where there is none.
boost::json::object cause_json(const Cause& cause);
/// What `cause_json` wrote, from the member `cause`. Empty if it is missing, as in the answers of older versions, or
/// null. What is not as it should be there is left out: the answer counts, and its sentence is beside the cause.
std::optional<Cause> cause_in(const base::JsonObject& object);

}  // namespace vtmirror::core
