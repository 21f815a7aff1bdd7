// Converts one value of the file to the type of its setting. The only header of this program that includes toml++.
#pragma once

#include "vtmirror/settings/config.hpp"

#include <toml++/toml.h>

#include <chrono>
#include <optional>
#include <string>

namespace vtmirror::settings {

/// Each reads the value, or returns what it must be ("must be true or false") and leaves `place` unchanged; a list that
/// has right elements beside a wrong one gets those.
std::string parse_value(const toml::node& node, std::string& place);
std::string parse_value(const toml::node& node, bool& place);
std::string parse_value(const toml::node& node, int& place);
std::string parse_value(const toml::node& node, Size& place);
std::string parse_value(const toml::node& node, Rate& place);
std::string parse_value(const toml::node& node, RateTable& place);
std::string parse_value(const toml::node& node, std::chrono::seconds& place);
std::string parse_value(const toml::node& node, TimeOfDay& place);
std::string parse_value(const toml::node& node, std::optional<base::Date>& place);
std::string parse_value(const toml::node& node, Texts& place);
std::string parse_value(const toml::node& node, Numbers& place);

}  // namespace vtmirror::settings
