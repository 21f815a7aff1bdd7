// What `vtmirror verify` prints, whether this process reads the files or a daemon does.
// With --json, one event a line on stdout; otherwise lines for people on stderr.
#pragma once

#include "cli/arguments.hpp"
#include "vtmirror/ports/journal.hpp"

#include <string>
#include <string_view>

namespace vtmirror::cli {

/// {"event": "verification", ...}: `json` is an object that is not empty.
std::string event_line(std::string_view event, std::string_view json);

/// An event of the journal in the form in which the socket's event `journal` carries it.
std::string journal_line(const ports::Event& event);

/// Prints every event as a line of JSON on stdout.
class JsonLines final : public ports::Journal {
 public:
  void tell(const ports::Event& event) override;
};

/// The last lines for people: what was found, and what it means for the chain to load.
void tell_verification(const std::string& summary, const std::string& chain);

}  // namespace vtmirror::cli
