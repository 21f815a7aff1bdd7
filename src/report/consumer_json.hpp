// A consumer's status as a JSON object, in the status and in the answer of `vtmirror consumers`.
// Promises that both say the same.
#pragma once

#include "vtmirror/base/json.hpp"
#include "vtmirror/report/status.hpp"

#include <boost/json/object.hpp>

namespace vtmirror::report {

boost::json::object object_of(const ConsumerStatus& consumer);
ConsumerStatus consumer_status_of(const base::JsonObject& fields);

}  // namespace vtmirror::report
