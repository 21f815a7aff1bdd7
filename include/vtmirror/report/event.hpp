// An event of the journal as JSON: what followers of the socket get as `journal` (vtmirror-api(7)), and what --json
// prints. Pure.
#pragma once

#include "vtmirror/ports/journal.hpp"
#include "vtmirror/ports/stream_event.hpp"

#include <string>
#include <string_view>

namespace vtmirror::report {

/// An event's field, and the member, with the code of the problem that began or is over.
inline constexpr std::string_view problem_member = "problem";

/// {"schema": 1, "type": "published", "level": "info", "message": "..."}, without a line's end.
std::string event_json(const ports::Event& event);

/// {"event": "verification", ...}, with its newline: what --json prints of an event. `json` is an object that is not
/// empty.
std::string event_line(ports::StreamEvent event, std::string_view json);
/// The same of an event that perhaps only a newer daemon knows.
std::string event_line(std::string_view event, std::string_view json);

}  // namespace vtmirror::report
