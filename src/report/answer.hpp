// The JSON of an answer, read by the program that asked.
// Promises one form of error for all answers, which names the first member that is wrong. Never quotes a value.
#pragma once

#include "vtmirror/base/json.hpp"

#include <string>
#include <string_view>
#include <type_traits>

namespace vtmirror::report {

/// What `read` makes of the object; `what` begins the error: "the daemon's plan: actions is missing". Errors: protocol.
template <class Read>
base::Result<std::invoke_result_t<Read, const base::JsonObject&>> read_answer(std::string_view json,
                                                                              const std::string& what, Read read,
                                                                              base::JsonRules rules = {}) {
  const auto document = base::parse_json_object(json, rules);
  if (!document) return base::Error{base::Errc::protocol, what + ' ' + document.error().detail};
  const base::JsonObject fields(*document);
  auto result = read(fields);
  if (const auto& fault = fields.fault()) return base::Error{base::Errc::protocol, what + ": " + fault->sentence()};
  return result;
}

}  // namespace vtmirror::report
