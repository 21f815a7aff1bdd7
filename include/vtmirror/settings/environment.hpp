// The process environment as an argument, so that tests control what the code reads.
#pragma once

#include <functional>
#include <optional>
#include <string>

namespace vtmirror::settings {

/// The value of a variable; empty if it is not set.
using Environment = std::function<std::optional<std::string>(const std::string& name)>;

/// Reads this process's environment.
Environment process_environment();

}  // namespace vtmirror::settings
