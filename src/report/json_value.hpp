// What several answers write and read alike: values, a file of a plan, a consumer, a running cycle.
// Promises that they say the same of it, and refuse the same. Pure. Never contains a link or a secret.
#pragma once

#include "vtmirror/base/json.hpp"
#include "vtmirror/base/time.hpp"
#include "vtmirror/core/plan.hpp"
#include "vtmirror/report/status.hpp"

#include <boost/json.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace vtmirror::report {

/// The member `schema` of every answer: raised when a member changes its meaning. The manifest's form has its own.
inline constexpr int answer_schema = 1;

/// {"schema": 1, "NAME": [...]}, with its newline.
inline std::string list_answer(std::string_view name, boost::json::array list) {
  boost::json::object answer{{"schema", answer_schema}};
  answer[name] = std::move(list);
  return boost::json::serialize(answer) + '\n';
}

/// Null if there is no text.
inline boost::json::value text_or_null(std::string_view text) {
  return text.empty() ? boost::json::value() : boost::json::value(text);
}

/// A time or a day as text; null if there is none.
template <class When>
boost::json::value text_or_null(const std::optional<When>& when) {
  return when ? boost::json::value(base::iso8601(*when)) : boost::json::value();
}

/// Reads reason, kind, name, date and size. What is null stays as a new action has it.
void read_file(const base::JsonObject& fields, core::Action& action);

boost::json::object object_of(const ConsumerStatus& consumer);
ConsumerStatus consumer_status_of(const base::JsonObject& fields);

boost::json::object cycle_object(const CycleStatus& cycle);
/// A fault of the JSON is noted in `fields`.
CycleStatus parse_cycle(const base::JsonObject& fields);

}  // namespace vtmirror::report
