// A time in the form of HTTP's Date header: "Wed, 18 Nov 2026 08:07:12 GMT".
#pragma once

#include "vtmirror/base/time.hpp"

#include <string>

namespace vtmirror::simulator {

std::string http_date(base::Time time);

}  // namespace vtmirror::simulator
