// Every key of vtmirror.toml as a row of data: where it stands, its type, whether its value is shown, whether a reload
// changes it, what is checked. Reading, `config show`, the reload and the tests use this one table; the defaults are
// those of `Config`. Also how a value is written.
// Pure: reads no file.
#pragma once

#include "vtmirror/settings/config.hpp"

#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace vtmirror::settings {

/// A string that is a path: `~` is understood in it.
template <class Owner>
struct PathOf {
  std::string& (*member)(Owner&);
  std::string& operator()(Owner& owner) const { return member(owner); }
};

/// Where a key's value lives in its owner; the alternative is the key's type.
template <class Owner>
using Place =
    std::variant<std::string& (*)(Owner&), PathOf<Owner>, bool& (*)(Owner&), int& (*)(Owner&), Size& (*)(Owner&),
                 Rate& (*)(Owner&), RateTable& (*)(Owner&), std::chrono::seconds& (*)(Owner&), TimeOfDay& (*)(Owner&),
                 std::optional<base::Date>& (*)(Owner&), Texts& (*)(Owner&), Numbers& (*)(Owner&)>;

/// In `config show`.
enum class Shown {
  plain,
  masked,  ///< the value may contain a secret, as an address with a token in its path does
};

/// When a running daemon uses a changed value.
enum class Read {
  at_reload,
  at_start,  ///< a reload that changes it is refused
};

/// `shown` and `read` stand before members that they cannot be mistaken for: a row that leaves one out does not
/// compile.
template <class Owner>
struct Key {
  std::string_view table;
  std::string_view name;
  Place<Owner> place;
  Shown shown;
  Read read;
  /// What is wrong with the value in its owner, as the end of the sentence "service.base_url: ..."; empty when it is
  /// fine.
  std::string (*mistake)(const Owner&);

  /// "service.base_url"
  std::string path() const { return std::string(table) + '.' + std::string(name); }
};

/// In the order of the shipped file.
std::span<const Key<Config>> config_keys();
/// Of each [[hook]].
std::span<const Key<Hook>> hook_keys();
/// The tables that there are, `hook` included.
std::span<const std::string_view> config_tables();

/// What a reload may not change: the keys that only a start reads and that differ ("mirror.directory"), in the order of
/// the shipped file.
std::vector<std::string> keys_needing_restart(Config running, Config read);

// Writes values of settings as TOML: the reverse of reading them.

std::string spell(const std::string& text);
std::string spell(bool flag);
std::string spell(int number);
std::string spell(Size size);
std::string spell(Rate rate);
std::string spell(const core::RatePeriod& period);
std::string spell(const RateTable& periods);
std::string spell(std::chrono::seconds duration);
std::string spell(TimeOfDay time);
std::string spell(const std::optional<base::Date>& date);
std::string spell(const Texts& texts);
std::string spell(const Numbers& numbers);

}  // namespace vtmirror::settings
