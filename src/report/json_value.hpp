// Values that the answers of several pages write alike.
#pragma once

#include <boost/json/value.hpp>

#include <string_view>

namespace vtmirror::report {

/// Null where there is no text.
inline boost::json::value text_or_null(std::string_view text) {
  return text.empty() ? boost::json::value() : boost::json::value(text);
}

}  // namespace vtmirror::report
