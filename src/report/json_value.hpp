// Values that the answers of several pages write alike.
#pragma once

#include "vtmirror/base/time.hpp"

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

/// Null where there is no text.
inline boost::json::value text_or_null(std::string_view text) {
  return text.empty() ? boost::json::value() : boost::json::value(text);
}

/// A time or a day as text; null where there is none.
template <class When>
boost::json::value text_or_null(const std::optional<When>& when) {
  return when ? boost::json::value(base::iso8601(*when)) : boost::json::value();
}

}  // namespace vtmirror::report
