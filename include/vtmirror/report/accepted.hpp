// The answers of the socket to requests for work: POST /v1/sync, /v1/verify and /v1/reload (vtmirror-api(7)). Pure.
#pragma once

#include <cstdint>
#include <string>

namespace vtmirror::report {

/// {"schema": 1, "accepted": true, "cycle": 7}
std::string cycle_accepted(std::int64_t number);
/// {"schema": 1, "accepted": true, "verification": 7}
std::string verification_accepted(std::int64_t number);
/// {"schema": 1, "reloaded": true}
std::string settings_reloaded();

}  // namespace vtmirror::report
