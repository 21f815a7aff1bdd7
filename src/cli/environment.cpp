#include "cli/environment.hpp"

#include <cstdlib>

namespace vtmirror::cli {

Environment process_environment() {
  return [](const std::string& name) -> std::optional<std::string> {
    const char* value = std::getenv(name.c_str());
    if (value == nullptr) return std::nullopt;
    return std::string(value);
  };
}

}  // namespace vtmirror::cli
