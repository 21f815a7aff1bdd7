#include "cli/event_lines.hpp"

#include "vtmirror/report/event.hpp"

#include <iostream>

namespace vtmirror::cli {

std::string event_line(std::string_view event, std::string_view json) {
  if (json.ends_with('\n')) json.remove_suffix(1);
  return "{\"event\":\"" + std::string(event) + "\"," + std::string(json.substr(1)) + '\n';
}

std::string event_line(ports::StreamEvent event, std::string_view json) { return event_line(ports::name(event), json); }

std::string journal_line(const ports::Event& event) {
  return event_line(ports::StreamEvent::journal, report::event_json(event));
}

void JsonLines::log(const ports::Event& event) { std::cout << journal_line(event) << std::flush; }

}  // namespace vtmirror::cli
