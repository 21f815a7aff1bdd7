// Every key of vtmirror.toml as a row of data: where it stands, what type it has, what is checked, what it is for.
// Reading, `config show` and the test of the shipped file go by this one table; the defaults are those of `Config`.
#pragma once

#include "vtmirror/settings/config.hpp"

#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

namespace vtmirror::settings {

/// Where a key's value lives in its owner; the alternative is the key's type.
template <class Owner>
using Place = std::variant<std::string& (*)(Owner&), bool& (*)(Owner&), int& (*)(Owner&), Size& (*)(Owner&),
                           Rate& (*)(Owner&), std::chrono::seconds& (*)(Owner&), TimeOfDay& (*)(Owner&),
                           std::optional<base::Date>& (*)(Owner&), Texts& (*)(Owner&), Numbers& (*)(Owner&)>;

template <class Owner>
struct Key {
  std::string_view table;
  std::string_view name;
  Place<Owner> place;
  /// What is wrong with the value in its owner, as the end of the sentence "service.base_url: ..."; empty when it is
  /// fine.
  std::string (*mistake)(const Owner&);
  std::string_view about;
};

/// In the order of the shipped file.
std::span<const Key<Config>> config_keys();
/// Of each [[hook]].
std::span<const Key<Hook>> hook_keys();
/// The tables that there are, `hook` included.
std::span<const std::string_view> config_tables();

}  // namespace vtmirror::settings
