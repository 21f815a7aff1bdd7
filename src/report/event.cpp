#include "vtmirror/report/event.hpp"

#include "report/json_value.hpp"

#include <boost/json.hpp>

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
  return boost::json::serialize(boost::json::object{{"schema", answer_schema},
                                                    {"type", ports::name(event.kind)},
                                                    {"level", word(event.level)},
                                                    {"message", event.message}});
}

}  // namespace vtmirror::report
