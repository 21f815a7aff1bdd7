// An environment of a test's own making.
#pragma once

#include "vtmirror/settings/load.hpp"

#include <map>
#include <string>
#include <utility>

namespace vtmirror::test {

inline settings::Environment environment_of(std::map<std::string, std::string> variables) {
  return [variables = std::move(variables)](const std::string& name) -> std::optional<std::string> {
    const auto at = variables.find(name);
    if (at == variables.end()) return std::nullopt;
    return at->second;
  };
}

}  // namespace vtmirror::test
