// The settings in effect, as TOML that can be read back; what could open a door is masked.
#pragma once

#include "vtmirror/settings/config.hpp"
#include "vtmirror/settings/load.hpp"

#include <map>
#include <string>

namespace vtmirror::settings {

/// A line a key, in the order of the shipped file; those that are not in `given` are marked as defaults.
std::string show_config(Config config, const std::map<std::string, Position>& given);

/// The address with user, password, path and query masked where there are any: "https://hooks.example/***". An address
/// of a webhook is a secret in its path.
std::string masked(const std::string& url);

}  // namespace vtmirror::settings
