#include "cli/event_lines.hpp"

#include <boost/json.hpp>

#include <iostream>

namespace vtmirror::cli {
namespace {

std::string_view word(ports::Level level) {
  switch (level) {
    case ports::Level::debug:
      return "debug";
    case ports::Level::info:
      return "info";
    case ports::Level::notice:
      return "notice";
    case ports::Level::warning:
      return "warning";
    case ports::Level::error:
      break;
  }
  return "error";
}

}  // namespace

std::string event_line(std::string_view event, std::string_view json) {
  if (json.ends_with('\n')) json.remove_suffix(1);
  return "{\"event\":\"" + std::string(event) + "\"," + std::string(json.substr(1)) + '\n';
}

std::string journal_line(const ports::Event& event) {
  const boost::json::object json{
      {"schema", 1}, {"type", ports::name(event.kind)}, {"level", word(event.level)}, {"message", event.message}};
  return event_line("journal", boost::json::serialize(json));
}

void JsonLines::tell(const ports::Event& event) { std::cout << journal_line(event) << std::flush; }

}  // namespace vtmirror::cli
