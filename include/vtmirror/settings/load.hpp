// Reads vtmirror.toml into a `Config`, or reports every mistake in it at once, each with its line and column.
// Never stops at the first mistake, unless it is an error of TOML's syntax, after which nothing can be parsed. Also
// the environment, as an argument.
#pragma once

#include "vtmirror/base/result.hpp"
#include "vtmirror/settings/config.hpp"

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace vtmirror::settings {

// The process environment as an argument, so that tests control what the code reads.

/// The value of a variable; empty if it is not set.
using Environment = std::function<std::optional<std::string>(const std::string& name)>;

/// Reads this process's environment.
Environment process_environment();

/// Counted from 1; columns count characters. 0 if the mistake has no place in the file.
struct Position {
  int line = 0;
  int column = 0;
  friend auto operator<=>(const Position&, const Position&) = default;
};

struct Mistake {
  Position at{};
  std::string key;  ///< "service.base_url"; empty for a syntax error
  std::string what;
  std::optional<std::size_t> hook{};  ///< which of `Config::hooks` it is in; none: in no hook
};

/// "/etc/vtmirror/vtmirror.toml:3:1: service.base_ur: unknown key, did you mean base_url?"
std::string mistake_line(const std::string& file, const Mistake& mistake);

struct ReadConfig {
  Config config;
  std::vector<Mistake> mistakes;               ///< in the file's order; the settings may be used only if this is empty
  std::map<std::string, Position> given{};     ///< the keys that the file sets ("service.base_url"), and where
  std::set<std::string, std::less<>> blank{};  ///< those among them whose value is an empty text
  std::map<std::string, Position, std::less<>> tables{};  ///< the tables that the file has, and where
  std::vector<Position> hook_commands{};                  ///< where `command` of each hook is
};

/// The place of a key: where it is set, or where its table begins, or the beginning of the file.
Position place_of(const ReadConfig& read, std::string_view key);

/// `home` is the directory that `~` stands for in paths; without one, such a path is a mistake.
ReadConfig read_config(std::string_view toml, const std::string& home = {});

/// Reads the file. If it belongs to this process's ordinary user, what it leaves open follows that user's places
/// (settings/places.hpp). Errors: config if it cannot be read; mistakes in it are part of the result.
base::Result<ReadConfig> load_config(const std::string& file, const Environment& environment);

/// The state directory if neither the settings nor the environment name one: the package's.
inline constexpr char default_state_directory[] = "/var/lib/vtmirror";

/// Sets the paths that the file does not set, from the environment and from each other.
void resolve_paths(Config& config, const Environment& environment);

}  // namespace vtmirror::settings
