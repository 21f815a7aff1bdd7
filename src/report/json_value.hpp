// Values that the answers of several pages write alike.
#pragma once

#include <boost/json.hpp>

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

/// Null where there is no text.
inline boost::json::value text_or_null(std::string_view text) {
  return text.empty() ? boost::json::value() : boost::json::value(text);
}

}  // namespace vtmirror::report
