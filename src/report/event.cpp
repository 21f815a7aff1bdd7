#include "vtmirror/report/event.hpp"

#include "report/json_value.hpp"

#include <boost/json.hpp>

#include <algorithm>
#include <string>
#include <string_view>

namespace vtmirror::report {
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

std::string event_json(const ports::Event& event) {
  boost::json::object json{{"schema", answer_schema},
                           {"type", ports::name(event.kind)},
                           {"level", word(event.level)},
                           {"message", event.message}};
  const auto problem = std::ranges::find(event.fields, problem_member, &ports::Field::key);
  if (problem != event.fields.end()) json["problem"] = problem->value;
  return boost::json::serialize(json);
}

std::string event_line(std::string_view event, std::string_view json) {
  if (json.ends_with('\n')) json.remove_suffix(1);
  return "{\"event\":" + boost::json::serialize(boost::json::string(event)) + ',' + std::string(json.substr(1)) + '\n';
}

std::string event_line(ports::StreamEvent event, std::string_view json) { return event_line(ports::name(event), json); }

}  // namespace vtmirror::report
