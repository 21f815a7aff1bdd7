// Writes values of settings as TOML: the reverse of reading them.
#pragma once

#include "vtmirror/settings/config.hpp"

#include <chrono>
#include <optional>
#include <string>

namespace vtmirror::settings {

std::string spell(const std::string& text);
std::string spell(bool flag);
std::string spell(int number);
std::string spell(Size size);
std::string spell(Rate rate);
std::string spell(std::chrono::seconds duration);
std::string spell(TimeOfDay time);
std::string spell(const std::optional<base::Date>& date);
std::string spell(const Texts& texts);
std::string spell(const Numbers& numbers);

}  // namespace vtmirror::settings
