// An event of the journal as JSON: what followers of the socket get as `journal` (vtmirror-api(7)), and what --json
// prints. Pure.
#pragma once

#include "vtmirror/ports/journal.hpp"

#include <string>
#include <string_view>

namespace vtmirror::report {

/// An event's field, and the member, with the code of the problem that began or is over.
inline constexpr std::string_view problem_member = "problem";

/// {"schema": 1, "type": "published", "level": "info", "message": "..."}, without a line's end.
std::string event_json(const ports::Event& event);

}  // namespace vtmirror::report
