// The process environment as an argument, so that nothing reads it behind a test's back.
#pragma once

#include <functional>
#include <optional>
#include <string>

namespace vtmirror::settings {

/// The value of a variable; empty where it is not set.
using Environment = std::function<std::optional<std::string>(const std::string& name)>;

/// The environment of this process.
Environment process_environment();

}  // namespace vtmirror::settings
