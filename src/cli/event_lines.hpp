// Events as lines of JSON on stdout: what `sync --json` and `verify --json` print, whether this process does the work
// or a daemon. Each line has the event's name as `event`. Never prints a secret: the events hold none.
#pragma once

#include "cli/arguments.hpp"
#include "vtmirror/ports/journal.hpp"
#include "vtmirror/ports/stream_event.hpp"

#include <string>
#include <string_view>

namespace vtmirror::cli {

/// {"event": "verification", ...}: `json` is an object that is not empty.
std::string event_line(ports::StreamEvent event, std::string_view json);
/// The same of an event that perhaps only a newer daemon knows.
std::string event_line(std::string_view event, std::string_view json);

/// An event of the journal in the form in which the socket's event `journal` carries it.
std::string journal_line(const ports::Event& event);

/// Prints every event as a line of JSON on stdout.
class JsonLines final : public ports::Journal {
 public:
  void log(const ports::Event& event) override;
};

}  // namespace vtmirror::cli
