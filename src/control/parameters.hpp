// The parameters of a request, read from its query in one way for all paths. Pure.
#pragma once

#include "vtmirror/base/result.hpp"
#include "vtmirror/base/time.hpp"

#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace vtmirror::control {

/// The values of each parameter, by its name, in the order in which they came.
using Parameters = std::map<std::string, std::vector<std::string>, std::less<>>;

/// "name=bulk&name=delta%2016%20Nov": names and values percent-decoded. An empty part, as at the end of "a=1&",
/// is none. Errors: protocol, for a parameter without "=".
base::Result<Parameters> parameters_of(std::string_view query);

/// An unknown parameter is an error, so that a typing error is not silently ignored. Errors: protocol.
base::Result<void> check_names(const Parameters& parameters, std::initializer_list<std::string_view> known);

/// The value; empty if it is not there. Errors: protocol, if there are several.
base::Result<std::optional<std::string>> value_of(const Parameters& parameters, std::string_view name);

/// The same of a whole number without a sign. Errors: protocol, also for one beyond these limits.
base::Result<std::optional<std::int64_t>> number_of(const Parameters& parameters, std::string_view name,
                                                    std::int64_t least, std::int64_t most);

/// The same of a day. Errors: protocol, also for one that the calendar does not have.
base::Result<std::optional<base::Date>> day_of(const Parameters& parameters, std::string_view name);

}  // namespace vtmirror::control
