// One value of the file as one type of the configuration. The only header of ours that shows toml++.
#pragma once

#include "vtmirror/settings/config.hpp"

#include <toml++/toml.h>

#include <chrono>
#include <optional>
#include <string>

namespace vtmirror::settings {

/// Each takes the value, or says what it should have been ("must be true or false") and leaves the place as it is.
std::string take(const toml::node& node, std::string& place);
std::string take(const toml::node& node, bool& place);
std::string take(const toml::node& node, int& place);
std::string take(const toml::node& node, Size& place);
std::string take(const toml::node& node, Rate& place);
std::string take(const toml::node& node, std::chrono::seconds& place);
std::string take(const toml::node& node, TimeOfDay& place);
std::string take(const toml::node& node, std::optional<base::Date>& place);
std::string take(const toml::node& node, Texts& place);
std::string take(const toml::node& node, Numbers& place);

}  // namespace vtmirror::settings
